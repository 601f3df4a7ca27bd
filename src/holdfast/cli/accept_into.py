"""holdfast accept --into"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.review.accept import merge
from holdfast.vault.entry_json import display_path

EXAMPLES = """\
  holdfast accept CAND-0A1B2C --into CAND-7K2MQ4              one goes into the other, which still waits
  holdfast accept CAND-7K2MQ4 CAND-0A1B2C --into DEC-5P1Z8K   both go into a memory
"""
STATUS = "0 merged, on disk · 2 bad request, or inside a client · 3 no such id · 4 in conflict, or the file changed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="candidates")
    parser.add_argument("--into", required=True, metavar="ID", help="the memory or candidate that takes them in")


def run(args: argparse.Namespace, out: Output) -> int:
    """Merge candidates: words, evidence and tags go into one."""
    app = open_app(args, anywhere=True)
    done = merge(app, args.ids, args.into)
    if out.as_json:
        out.json({"id": done.entry.memory.id, "merged": list(done.merged), "path": display_path(app, done.entry)})
    out.line(f"Merged {', '.join(done.merged)} into {done.entry.memory.id}: {done.entry.memory.title}")
    out.line(f"  {display_path(app, done.entry)}")
    out.line("Take it back: holdfast undo")
    out.notices(app.notices)
    return 0
