"""holdfast undo"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.review.batches import read_last_batch, undo
from holdfast.review.wait_again import wait_again
from holdfast.workspace import App

EXAMPLES = """\
  holdfast undo --dry-run                what would be undone
  holdfast undo                          the last accept, reject, merge, edit, resolve, curate, or what a sync changed
  holdfast undo CAND-7K2MQ4              it left the queue unreviewed, and waits again
"""
STATUS = "0 undone, or nothing to show · 2 inside a client · 3 nothing to undo · 4 a file changed since"


class IdsAndDryRun(BadRequest):
    """What would be done to candidates that are named is what is asked."""

    def __init__(self) -> None:
        super().__init__("--dry-run says what the last batch was.", "leave out the ids, or the option.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="candidates that left the queue unreviewed: they wait again"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be undone")


def run(args: argparse.Namespace, out: Output) -> int:
    """Undo the last batch: its files get the bytes they had."""
    app = open_app(args, anywhere=True)
    if args.ids:
        return _wait_again(app, args, out)
    done = read_last_batch(app) if args.dry_run else undo(app)
    if out.as_json:
        out.json({"undone": {"verb": done.verb, "at": done.at, "ids": list(done.ids)} if done else None})
    elif done is None:
        out.line("There is nothing to undo.")
    else:
        out.line(f"{'Would undo' if args.dry_run else 'Undone'}: {done.verb} of {done.at}: {', '.join(done.ids)}")
    out.notices(app.notices)
    return 0


def _wait_again(app: App, args: argparse.Namespace, out: Output) -> int:
    """Put candidates back into the queue."""
    if args.dry_run:
        raise IdsAndDryRun
    done = wait_again(app, args.ids)
    if out.as_json:
        out.json({"waiting": [entry.memory.id for entry in done]})
    for entry in done:
        out.line(f"{entry.memory.id} waits again: {entry.memory.title}")
    out.notices(app.notices)
    return 0
