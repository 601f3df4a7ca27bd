"""A session as the records follow it: the turn that runs, its work, its todos."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.event import Cursor
from holdfast.core.value import Value, as_dict
from holdfast.records.tool_steps import ToolStep


class TrackedSession(Value):
    """One session of a client. `begin` is its place in the journal; `echo` names the session it repeats.

    `hooked`: whether a hook told any of it, and not only a file.
    `task`: what the last prompt asks for, in the user's own words; empty where they are not known to be theirs.
    """

    id: str
    client: str
    since: str
    last: str
    begin: Cursor
    closed: str = ""
    echo: str = ""
    unit: str = ""
    units: tuple[str, ...] = ()
    prompt: str = ""
    task: str = ""
    prompt_event: str = ""
    prompt_at: str = ""
    answer: str = ""
    steps: tuple[ToolStep, ...] = ()
    todos: tuple[tuple[str, bool], ...] = ()
    tasks: tuple[tuple[str, str, bool], ...] = ()
    agents: tuple[tuple[str, str], ...] = ()
    answered: tuple[int, ...] = ()
    told: bool = False
    hooked: bool = False


def to_state(session: TrackedSession) -> dict[str, Any]:
    """The session as JSON."""
    place = [session.begin.segment, session.begin.offset]
    return as_dict(session) | {"begin": place, "steps": [as_dict(step) for step in session.steps]}


def from_state(data: Mapping[str, Any]) -> TrackedSession:
    """The session that `to_state` gave."""
    segment, offset = data["begin"]
    fields: dict[str, Any] = {name: _tuples(value) for name, value in data.items()}
    fields["begin"] = Cursor(segment=segment, offset=offset)
    fields["steps"] = tuple(_step(each) for each in data["steps"])
    return TrackedSession(**fields)


def _step(data: Mapping[str, Any]) -> ToolStep:
    fields: dict[str, Any] = {name: _tuples(value) for name, value in data.items()}
    return ToolStep(**fields)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
