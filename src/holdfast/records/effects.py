"""What following the journal asks for. Each may be carried out twice and is there once."""

from typing import Any

from holdfast.core.event import Cursor
from holdfast.core.value import Value
from holdfast.records.todo_items import USER, Listed


class Put(Value):
    """A file of ours, below `.holdfast`, whole."""

    path: str
    text: str


class Line(Value):
    """A line at the end of a file, in the place of one that came from the same event."""

    path: str
    text: str
    event: str


class Log(Value):
    """A line of the daily log, at a time, unless it stands there already."""

    at: str
    text: str


class Todos(Value):
    """A client's todo list, after it was another."""

    by: str
    at: str
    before: tuple[str, ...]
    now: Listed


class Todo(Value):
    """What a person did to one item: added, done, opened or dropped."""

    verb: str
    id: str
    text: str
    at: str
    by: str = USER


class Propose(Value):
    """A candidate. `key` makes its id, so that it is proposed once; `doubted`: an agent may have said it."""

    key: str
    title: str
    fact: str
    category: str
    said_by: str
    event: str
    quote: str = ""
    confidence: float = 0.6
    paths: tuple[str, ...] = ()
    source: str = ""
    at: str = ""
    doubted: bool = False


class Dump(Value):
    """Everything of a session up to an event, for a failure: its context, and the rest out of the journal."""

    folder: str
    context: str
    sentiment: dict[str, Any]
    session: str
    begin: Cursor
    until: str


Effect = Put | Line | Log | Todos | Todo | Propose | Dump
