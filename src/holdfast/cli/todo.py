"""holdfast todo"""

import argparse

from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.core.value import as_dict
from holdfast.records.work_records import TodoItem, add_todo, change_todos, list_todos

EXAMPLES = """\
  holdfast todo                                    what is open
  holdfast todo add "ask Ada about the rate limit"
  holdfast todo done T-4KQ2M                       or a beginning of its id
  holdfast todo open T-4KQ2M
  holdfast todo drop T-4KQ2M
"""
STATUS = "0 also when nothing is open · 2 bad request · 3 no such item, no workspace · 6 the disk refuses"
DONE = {"done": "Done", "open": "Open again", "drop": "Dropped"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", default="list", choices=["list", "add", *DONE], help="what to do")
    parser.add_argument("words", nargs="*", default=[], metavar="TEXT|ID", help="the item's words, or ids")
    parser.add_argument("--all", action="store_true", help="show those done lately too")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the open work items, or change them."""
    app = open_app(args)
    if args.verb == "list":
        if args.words:
            raise BadRequest("`holdfast todo list` takes no words.", 'to add one: holdfast todo add "…"')
        _listed([item for item in list_todos(app) if args.all or not item.done], out)
    else:
        adding = args.verb == "add"
        items = [add_todo(app, " ".join(args.words))] if adding else change_todos(app, args.verb, args.words)
        if out.as_json:
            out.json({"todos": [as_dict(item) for item in items]})
        for item in items:
            out.cut(f"{'Added' if adding else DONE[args.verb]}: {item.id}  {item.text}")
    out.notices(app.notices)
    return 0


def _listed(items: list[TodoItem], out: Output) -> None:
    if out.as_json:
        out.json({"todos": [as_dict(item) for item in items]})
    for item in items:
        out.cut(f"{item.id}  [{'x' if item.done else ' '}] {item.text}  ({item.by})")
    waiting = [item for item in items if not item.done]
    out.line(
        f"{format_count(waiting, 'item')} open. Tick one: holdfast todo done ID" if waiting else "Nothing is open."
    )
