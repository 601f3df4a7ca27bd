"""holdfast hook merge-driver"""

import argparse

from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.setup.merge_driver import merge_files

EXAMPLES = """\
  holdfast hook merge-driver BASE OURS THEIRS      what git runs; the result is in OURS
  holdfast init --merge-driver                     has git run it
"""
STATUS = "0 merged · 1 merged with conflicts · 2 bad request · 6 no git, or it may not write"
MARKER = 7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="BASE OURS THEIRS [MARKER-SIZE [PATH]]")


def run(args: argparse.Namespace, out: Output) -> int:
    """Merge two edits of one memory."""
    files = args.files
    if not 3 <= len(files) <= 5:
        raise BadRequest(
            "`holdfast hook merge-driver` takes BASE OURS THEIRS [MARKER-SIZE [PATH]].", "git gives them by itself."
        )
    base, ours, theirs, *rest = files
    size = rest[0] if rest else str(MARKER)
    if not (size.isascii() and size.isdigit() and MARKER <= int(size) <= 1000):
        raise BadRequest(f"{size!r} is no size of a marker.", "it is a number from 7 to 1000.")
    done = merge_files(base, ours, theirs, int(size), rest[1] if len(rest) > 1 else ours)
    if out.as_json:
        out.json({"clean": done.clean, "as_memory": done.as_memory})
    return 0 if done.clean else 1
