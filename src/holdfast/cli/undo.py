"""holdfast undo"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.review.batches import read_last_batch, undo

EXAMPLES = """\
  holdfast undo --dry-run                what would be undone
  holdfast undo                          the last accept, reject, merge, edit, resolve, curate, or what a sync changed
"""
STATUS = "0 undone, or nothing to show · 2 inside a client · 3 nothing to undo · 4 a file changed since"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--dry-run", action="store_true", help="only say what would be undone")


def run(args: argparse.Namespace, out: Output) -> int:
    """Undo the last batch: its files get the bytes they had."""
    app = open_app(args, anywhere=True)
    done = read_last_batch(app) if args.dry_run else undo(app)
    if out.as_json:
        out.json({"undone": {"verb": done.verb, "at": done.at, "ids": list(done.ids)} if done else None})
    elif done is None:
        out.line("There is nothing to undo.")
    else:
        out.line(f"{'Would undo' if args.dry_run else 'Undone'}: {done.verb} of {done.at}: {', '.join(done.ids)}")
    out.notices(app.notices)
    return 0
