"""Open work items: told by a client's own todo tool, and kept as a Markdown list that people may edit."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from zlib import crc32

from holdfast.core.ids import encode
from holdfast.core.todo_calls import MOST, TodoListed
from holdfast.core.value import Value, replace

TITLE = "# Todo\n"
KEPT_DAYS = 7
USER = "user"
_LINE = re.compile(r"[-*] \[(?P<mark>[ xX])\] (?P<text>.*?)\s*(?:<!-- (?P<id>T-\w+) (?P<by>\S+) (?P<at>\S+) -->)?\s*")


class TodoItem(Value):
    """One line of the list. `by`: the client whose tool wrote it, or the user; `at`: the day it last changed."""

    id: str
    text: str
    done: bool = False
    by: str = USER
    at: str = ""


def item_id(text: str) -> str:
    """The same words are the same item."""
    return f"T-{encode(crc32(' '.join(text.lower().split()).encode('utf-8', 'replace')) & 0x1FFFFFF, 5)}"


def parse_todos(text: str) -> list[TodoItem]:
    """The items in a todo file; a line a person wrote gets its id from its words."""
    items: dict[str, TodoItem] = {}
    for line in text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found and found["text"].strip():
            words = found["text"].strip()
            item = TodoItem(
                id=found["id"] or item_id(words),
                text=words,
                done=found["mark"] != " ",
                by=found["by"] or USER,
                at=found["at"] or "",
            )
            items.setdefault(item.id, item)
    return list(items.values())


def render_todos(items: Iterable[TodoItem]) -> str:
    """The todo file: open items first, then what was done lately."""
    ordered = sorted(items, key=lambda item: item.done)
    lines = [f"- [{'x' if i.done else ' '}] {i.text} <!-- {i.id} {i.by} {i.at or '-'} -->\n" for i in ordered]
    return TITLE + "\n" + "".join(lines)


def merge_todos(items: Sequence[TodoItem], before: Iterable[str], now: TodoListed, by: str, day: str) -> list[TodoItem]:
    """The list after a client's tool wrote its own: what it took off unfinished goes, what it finished is ticked."""
    wanted = {item_id(text): (text, done) for text, done in now.items}
    dropped = {item_id(text) for text in before} - wanted.keys()
    kept = [item for item in items if item.done or item.by != by or item.id not in dropped]
    known = {item.id for item in kept}
    result = [_mark_item(item, wanted[item.id][1], day) if item.id in wanted else item for item in kept]
    result += [
        TodoItem(id=key, text=text, done=done, by=by, at=day)
        for key, (text, done) in wanted.items()
        if key not in known
    ]
    return drop_old_todos(result, day)


def mark_todo(items: Sequence[TodoItem], wanted: str, *, done: bool, day: str) -> list[TodoItem]:
    """The list with one item ticked or opened again."""
    return [_mark_item(item, done, day) if item.id == wanted else item for item in items]


def drop_old_todos(items: Sequence[TodoItem], day: str) -> list[TodoItem]:
    """The list without what was done more than a week ago."""
    oldest = (date.fromisoformat(day) - timedelta(days=KEPT_DAYS)).isoformat()
    return [item for item in items if not item.done or not _is_day(item.at) or item.at >= oldest][:MOST]


def _mark_item(item: TodoItem, done: bool, day: str) -> TodoItem:
    return item if item.done == done else replace(item, done=done, at=day)


def _is_day(text: str) -> bool:
    return len(text) == len("2026-11-15") and text[4] == "-"
