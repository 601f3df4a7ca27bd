"""holdfast reject"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.cli.selection import add_selection, select_ids
from holdfast.review.accept import reject

EXAMPLES = """\
  holdfast reject CAND-7K2MQ4 --because "we tried it, too slow"
  holdfast reject --all --from 4f2a --because "an experiment"
"""
STATUS = "0 rejected, and remembered · 2 bad request, or inside a client · 3 no such candidate · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="candidates")
    parser.add_argument("--because", default="", help="why; shown when the same is proposed again")
    add_selection(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Reject candidates."""
    app = open_app(args, anywhere=True)
    ids = select_ids(app, args, "reject")
    done = reject(app, ids, args.because)
    if out.as_json:
        out.json({"rejected": [{"candidate": entry.memory.id, "because": entry.memory.because} for entry in done]})
    for entry in done:
        out.line(f"Rejected {entry.memory.id}: {entry.memory.title}")
    if not ids:
        out.line("Nothing waits that fits.")
    out.notices(app.notices)
    return 0
