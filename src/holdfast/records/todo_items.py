"""Open work items: read out of a client's own todo tool, and kept as a Markdown list that people may edit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from zlib import crc32

from holdfast.core.ids import encode
from holdfast.core.value import Value, replace

TITLE = "# Todo\n"
KEPT_DAYS = 7
MOST = 200
LONGEST = 300
USER = "user"
_LINE = re.compile(r"[-*] \[(?P<mark>[ xX])\] (?P<text>.*?)\s*(?:<!-- (?P<id>T-\w+) (?P<by>\S+) (?P<at>\S+) -->)?\s*")
_LISTS = ("todos", "plan", "items", "tasks", "todo_list")
_TEXTS = ("content", "step", "subject", "title", "text", "task", "description")
_DONE = frozenset({"completed", "complete", "done", "cancelled", "canceled"})
_TOOLS = frozenset({"todowrite", "todo_write", "update_plan", "write_todos", "todo", "manage_todo_list", "set_todos"})


class TodoItem(Value):
    """One line of the list. `by`: the client whose tool wrote it, or the user; `at`: the day it last changed."""

    id: str
    text: str
    done: bool = False
    by: str = USER
    at: str = ""


class TodoListed(Value):
    """A whole list, as a client's tool gave it."""

    items: tuple[tuple[str, bool], ...]


class TodoAdded(Value):
    """One item more, with the client's own id of it."""

    key: str
    text: str


class TodoMarked(Value):
    """An item, by the client's own id, done or open again."""

    key: str
    done: bool
    text: str = ""


def read_todo_call(data: Mapping[str, Any]) -> TodoListed | TodoAdded | TodoMarked | None:
    """What a call of a client's todo tool says; None for every other tool."""
    tool, given = str(data.get("tool", "")).lower(), data.get("input")
    if not isinstance(given, Mapping):
        return None
    if tool in _TOOLS:
        found = next((given[name] for name in _LISTS if isinstance(given.get(name), list)), None)
        return None if found is None else TodoListed(items=tuple(_items(found)))
    if tool == "taskcreate":
        text = _text(given)
        return TodoAdded(key=_task_id(data.get("output")), text=text) if text else None
    if tool == "taskupdate" and isinstance(given.get("status"), str):
        done = given["status"].lower() in _DONE or given["status"].lower() == "deleted"
        return TodoMarked(key=str(given.get("taskId", given.get("task_id", ""))), done=done, text=_text(given))
    return None


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


def one_line(text: str) -> str:
    """An item's words on one line, without what would end its comment."""
    return " ".join(text.replace("<!--", "‹").replace("-->", "›").split())[:LONGEST]


def _mark_item(item: TodoItem, done: bool, day: str) -> TodoItem:
    return item if item.done == done else replace(item, done=done, at=day)


def _items(found: list[Any]) -> Iterable[tuple[str, bool]]:
    for each in found[:MOST]:
        text = one_line(each) if isinstance(each, str) else _text(each) if isinstance(each, Mapping) else ""
        if text:
            status = each.get("status", "") if isinstance(each, Mapping) else ""
            yield text, str(status).lower() in _DONE


def _text(given: Mapping[str, Any]) -> str:
    return next(
        (one_line(given[name]) for name in _TEXTS if isinstance(given.get(name), str) and given[name].strip()), ""
    )


def _task_id(output: object) -> str:
    match output:
        case {"task": {"id": found}} | {"taskId": found} | {"id": found}:
            return str(found)
        case str():
            _, mark, rest = output.partition("#")
            digits = rest.split(" ")[0].rstrip(":.,") if mark else ""
            return digits if digits.isdigit() else ""
        case _:
            return ""


def _is_day(text: str) -> bool:
    return len(text) == len("2026-11-15") and text[4] == "-"
