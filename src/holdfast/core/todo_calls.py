"""What a call of a client's own todo tool says: a whole list, one item more, or one ticked."""

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.value import Value

MOST = 200
LONGEST = 300
_LISTS = ("todos", "plan", "items", "tasks", "todo_list")
_TEXTS = ("content", "step", "subject", "title", "text", "task", "description")
_DONE = frozenset({"completed", "complete", "done", "cancelled", "canceled"})
_TOOLS = frozenset({"todowrite", "todo_write", "update_plan", "write_todos", "todo", "manage_todo_list", "set_todos"})


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


def one_line(text: str) -> str:
    """An item's words on one line, without what would end its comment."""
    return " ".join(text.replace("<!--", "‹").replace("-->", "›").split())[:LONGEST]


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
