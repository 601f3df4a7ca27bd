"""YAML with the lines of its names, from its parser's events: nothing is constructed, and no tag means anything."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from holdfast.ecosystems.lined_values import DEEPEST, LinedTable
from holdfast.ecosystems.unreadable_text import Unreadable


def read_yaml_table(text: str) -> LinedTable:
    """The one table that a YAML text is. Raises Unreadable; nothing at all is an empty table."""
    reader = _YamlReader()
    try:
        for event in _parse_events(text):
            reader.take(event)
    except _yaml().YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise Unreadable(f"it is no YAML: {reason}", mark.line + 1 if mark else None) from error
    found = reader.document
    if found is None or found == "":
        return LinedTable()
    if not isinstance(found, LinedTable):
        raise Unreadable("it is no YAML mapping", 1)
    return found


class _YamlReader:
    """Takes events and builds the value; what an alias means is shared, never copied."""

    def __init__(self) -> None:
        self.document: Any = None
        self._documents = 0
        self._open: list[tuple[Any, int]] = []
        self._keys: list[tuple[str, int] | None] = []
        self._anchors: dict[str, Any] = {}

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        match type(event).__name__:
            case "DocumentStartEvent":
                self._documents += 1
                if self._documents > 1:
                    raise Unreadable("it holds several documents", line)
            case "ScalarEvent":
                self._put(event.value, line, event.anchor)
            case "AliasEvent":
                if event.anchor not in self._anchors:
                    raise Unreadable(f"it is no YAML: there is no anchor {event.anchor[:40]!r}", line)
                self._put(self._anchors[event.anchor], line, None)
            case "MappingStartEvent":
                self._begin(LinedTable(), line, event.anchor)
            case "SequenceStartEvent":
                self._begin([], line, event.anchor)
            case "MappingEndEvent" | "SequenceEndEvent":
                self._open.pop()
                self._keys.pop()
            case _:
                return

    def _begin(self, made: Any, line: int, anchor: str | None) -> None:
        if len(self._open) > DEEPEST:
            raise Unreadable("it is nested too deeply", line)
        self._put(made, line, anchor)
        self._open.append((made, line))
        self._keys.append(None)

    def _put(self, value: Any, line: int, anchor: str | None) -> None:
        if anchor:
            self._anchors[anchor] = value
        if not self._open:
            self.document = value
            return
        holder = self._open[-1][0]
        if isinstance(holder, list):
            holder.append((value, line))
        elif (key := self._keys[-1]) is None:
            self._keys[-1] = (value if isinstance(value, str) else "", line)
        else:
            holder.pairs.append((key[0], value, key[1]))
            self._keys[-1] = None


def _parse_events(text: str) -> Iterator[Any]:
    yaml = _yaml()
    events: Iterator[Any] = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return events


@cache
def _yaml() -> Any:
    # Most checks read no YAML, and those before a tool runs must not pay 12 ms for it.
    return import_module("yaml")
