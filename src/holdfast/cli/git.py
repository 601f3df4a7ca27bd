"""holdfast git"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.setup.merge_driver import (
    MergeDriverState,
    install_driver,
    merge_files,
    read_driver_state,
    uninstall_driver,
)

EXAMPLES = """\
  holdfast git install       two edits of one memory are merged key by key, in this repository
  holdfast git status
  holdfast git uninstall
  holdfast git merge-file BASE OURS THEIRS      what git runs; the result is in OURS
"""
STATUS = (
    "0 done, or merged · 1 merged with conflicts; status: the repository asks for the driver and this clone has none · "
    "2 no repository, or inside a client · 6 no git, or it may not write"
)
VERBS = ("install", "uninstall", "status", "merge-file")
MARKER = 7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", default="status", choices=VERBS, metavar="VERB", help=", ".join(VERBS))
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="for merge-file: BASE OURS THEIRS [MARKER-SIZE [PATH]]"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Set up the merge driver, say how it stands, or run it."""
    if args.verb == "merge-file":
        return _merge(args.files, out)
    if args.files:
        raise BadRequest(f"`git {args.verb}` takes no files.", "`holdfast git --help` shows how.")
    app = open_app(args)
    changed = {"install": install_driver, "uninstall": uninstall_driver}.get(args.verb, lambda _: [])(app)
    found = read_driver_state(app)
    if out.as_json:
        out.json({
            "changed": changed, "asked": found.asked, "driver": found.command or None, "current": found.current,
            "runs": found.runs, "attributes": found.attributes,
        })  # fmt: skip
    for each in changed:
        out.line(f"changed     {each}")
    _print(found, out)
    out.notices(app.notices)
    return 1 if args.verb == "status" and found.asked and not found.runs else 0


def _print(found: MergeDriverState, out: Output) -> None:
    out.line(f"repository  {'asks' if found.asked else 'does not ask'} for our merge driver ({found.attributes})")
    if not found.command:
        out.line("this clone  has none" + (": run `holdfast git install`" if found.asked else ""))
    elif not found.runs:
        out.line("this clone  has one whose Python is gone, and merges line by line: run `holdfast git install`")
    elif not found.current:
        out.line("this clone  has one of another installation; `holdfast git install` takes this one")
    else:
        out.line("this clone  has it")


def _merge(files: list[str], out: Output) -> int:
    if not 3 <= len(files) <= 5:
        raise BadRequest("merge-file takes BASE OURS THEIRS [MARKER-SIZE [PATH]].", "git gives them by itself.")
    base, ours, theirs, *rest = files
    size = rest[0] if rest else str(MARKER)
    if not (size.isascii() and size.isdigit() and MARKER <= int(size) <= 1000):
        raise BadRequest(f"{size!r} is no size of a marker.", "it is a number from 7 to 1000.")
    done = merge_files(base, ours, theirs, int(size), rest[1] if len(rest) > 1 else ours)
    if out.as_json:
        out.json({"clean": done.clean, "as_memory": done.as_memory})
    return 0 if done.clean else 1
