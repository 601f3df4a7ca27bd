"""holdfast init --merge-driver"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.setup.merge_driver import MergeDriverState, install_driver, read_driver_state
from holdfast.workspace import App

EXAMPLES = """\
  holdfast init --merge-driver             two edits of one memory are merged key by key, in this repository
  holdfast init --merge-driver --status    whether the repository asks for it, and whether this clone has it
  holdfast uninstall --merge-driver        take it out again
"""
STATUS = (
    "0 done · 1 --status: the repository asks for the driver and this clone has none · "
    "2 no repository, or inside a client · 3 no workspace · 6 no git, or it may not write"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--status", action="store_true", help="show, and change nothing")


def run(args: argparse.Namespace, out: Output) -> int:
    """Set up the merge driver, or say how it stands."""
    app = open_app(args)
    found = tell_driver(app, [] if args.status else install_driver(app), out)
    return 1 if args.status and found.asked and not found.runs else 0


def tell_driver(app: App, changed: list[str], out: Output) -> MergeDriverState:
    """Say what changed, and how the driver stands now."""
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
    return found


def _print(found: MergeDriverState, out: Output) -> None:
    out.line(f"repository  {'asks' if found.asked else 'does not ask'} for our merge driver ({found.attributes})")
    if not found.command:
        out.line("this clone  has none" + (": run `holdfast init --merge-driver`" if found.asked else ""))
    elif not found.runs:
        out.line(
            "this clone  has one whose Python is gone, and merges line by line: run `holdfast init --merge-driver`"
        )
    elif not found.current:
        out.line("this clone  has one of another installation; `holdfast init --merge-driver` takes this one")
    else:
        out.line("this clone  has it")
