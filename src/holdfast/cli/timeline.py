"""holdfast timeline"""

import argparse
from typing import Any

from holdfast.cli.common import open_app, parse_count
from holdfast.cli.output import Output, fit, one_line
from holdfast.recall.show_memory import EventItem, Item, MemoryItem, build_timeline

EXAMPLES = """\
  holdfast timeline                          the latest
  holdfast timeline DEC-7K2MQ4               around a memory
  holdfast timeline 2026-03-01 --before 5 --after 20
"""
STATUS = "0 also when nothing is there · 2 bad request · 3 no such id · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("point", nargs="?", default="", metavar="ID|DATE", help="a memory, an event, or a time")
    parser.add_argument("--before", type=parse_count, default=10, metavar="N", help="how many before it")
    parser.add_argument("--after", type=parse_count, default=10, metavar="N", help="how many from it on")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what happened around a point."""
    app = open_app(args, anywhere=True)
    items = [form(item) for item in build_timeline(app, args.point, args.before, args.after)]
    if out.as_json:
        out.json({"items": items})
    for item in items:
        mark = "*" if args.point and args.point.casefold() in _ids(item) else " "
        at = item["at"][:16].replace("T", " ")
        out.line(fit(f"{at:<16} {mark} {item['id']:<12}  {_heard(item)}{one_line(item['title'])}", out.width))
    if not items:
        out.line("Nothing happened yet.")
    out.notices(app.notices)
    return 0


def _ids(item: dict[str, Any]) -> list[str]:
    return [each["id"].casefold() for each in (item, *item.get("also", ()))]


def _heard(item: dict[str, Any]) -> str:
    """Through whom a prompt came, where it was more than one."""
    clients = dict.fromkeys(one_line(each["client"]) for each in (item, *item["also"])) if item.get("also") else ()
    return f"[{', '.join(clients)}] " if clients else ""


def form(item: Item) -> dict[str, Any]:
    """A moment of the timeline, for programs and people."""
    match item:
        case MemoryItem(at=at, entry=entry):
            memory = entry.memory
            return {"at": at, "kind": "memory", "id": memory.id, "type": memory.type, "title": memory.title}
        case EventItem(at=at, event=event, also=also):
            title = f"{event.name}: {event.text}" if event.text else event.name
            return {
                "at": at, "kind": "event", "id": event.id, "client": event.client, "session": event.session,
                "name": event.name, "title": title,
                "also": [{"at": e.ts, "id": e.id, "client": e.client, "session": e.session} for e in also],
            }  # fmt: skip
