"""What following the journal asks for. Each may be carried out twice and is there once."""

from typing import Any

from holdfast.core.event import Cursor
from holdfast.core.todo_calls import TodoListed
from holdfast.core.value import Value
from holdfast.records.todo_items import USER


class PutFile(Value):
    """A file of ours, below `.holdfast`, whole."""

    path: str
    text: str


class AppendLine(Value):
    """A line at the end of a file, in the place of one that came from the same event."""

    path: str
    text: str
    event: str


class AppendLog(Value):
    """A line of the daily log, at a time, unless it stands there already."""

    at: str
    text: str


class ReplaceTodos(Value):
    """A client's todo list, after it was another."""

    by: str
    at: str
    before: tuple[str, ...]
    now: TodoListed


class ChangeTodo(Value):
    """What a person did to one item: added, done, opened or dropped."""

    verb: str
    id: str
    text: str
    at: str
    by: str = USER


class DumpSession(Value):
    """Everything of a session up to an event, for a failure: its context, and the rest out of the journal."""

    folder: str
    context: str
    sentiment: dict[str, Any]
    session: str
    begin: Cursor
    until: str


class SettlePrompt(Value):
    """Nobody is told what came of a prompt: its client's transcript says that nobody typed it."""

    session: str
    event: str


Effect = PutFile | AppendLine | AppendLog | ReplaceTodos | ChangeTodo | DumpSession | SettlePrompt
