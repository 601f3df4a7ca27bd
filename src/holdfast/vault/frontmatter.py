"""Frontmatter text → nodes with their places. YAML's syntax, none of its guesses about types."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from holdfast.core.errors import Damaged

MAX_BLOCK = 64 * 1024
MAX_DEPTH = 8
_SYNTAX_HINT = "indent with spaces; put text with `: `, ` #` or quotes in double quotes"
_DOCUMENT_END = re.compile(r"^\.\.\.(?=\s|\Z)", re.MULTILINE)


class BadFrontmatter(Damaged):
    """A block that cannot be read. `line` counts from the first line of the block, 0."""

    def __init__(self, line: int, reason: str, hint: str = "") -> None:
        super().__init__(reason, hint)
        self.line = line
        self.reason = reason


@dataclass(slots=True, kw_only=True)
class Scalar:
    """A single value as text. `plain` when it stands without quotes, where YAML would guess a type."""

    text: str
    plain: bool
    start: int
    end: int
    line: int


@dataclass(slots=True, kw_only=True)
class Sequence:
    """A list. `flow` when written in brackets."""

    items: list["Node"]
    flow: bool
    start: int
    end: int
    line: int


@dataclass(slots=True, kw_only=True)
class Mapping:
    """Keys and values, in order. `flow` when written in braces."""

    pairs: dict[str, tuple[Scalar, "Node"]]
    flow: bool
    start: int
    end: int
    line: int


Node = Scalar | Sequence | Mapping


def read_block(text: str) -> Mapping:
    """The mapping that a frontmatter block holds. Raises BadFrontmatter, and nothing else."""
    _refuse_unsafe(text)
    yaml = _load_yaml()
    try:
        top = _Builder(text).build(_events(text))
    except yaml.MarkedYAMLError as error:
        raise _syntax(error) from None
    except yaml.reader.ReaderError as error:
        raise _unprintable_error(text, chr(error.character)) from None
    return _top_mapping(text, top)


class _Builder:
    """Events → nodes, with a stack of its own: nesting is refused before it can exhaust another one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[Sequence | Mapping] = []
        self._keys: list[Scalar | None] = []
        self._top: Node | None = None

    def build(self, events: Iterator[Any]) -> Node | None:
        steps: dict[str, Callable[[Any], None]] = {
            "ScalarEvent": self._scalar,
            "SequenceStartEvent": self._open_sequence,
            "MappingStartEvent": self._open_mapping,
            "SequenceEndEvent": self._close,
            "MappingEndEvent": self._close,
            "AliasEvent": _refuse_alias,
        }
        for event in events:
            step = steps.get(type(event).__name__)
            if step is not None:
                step(event)
        return self._top

    def _scalar(self, event: Any) -> None:
        _refuse_marks(event)
        mark = event.start_mark
        start, end = mark.index, event.end_mark.index
        if event.style in {"|", ">"}:
            # A block scalar ends where the next key starts; the blank lines before it are nobody's.
            end = start + len(self._text[start:end].rstrip())
        plain = event.style is None or event.style == ""
        self._add(Scalar(text=event.value, plain=plain, start=start, end=end, line=mark.line))

    def _open_sequence(self, event: Any) -> None:
        self._open(event, Sequence(items=[], **_place(event)))

    def _open_mapping(self, event: Any) -> None:
        self._open(event, Mapping(pairs={}, **_place(event)))

    def _open(self, event: Any, node: Sequence | Mapping) -> None:
        _refuse_marks(event)
        if len(self._stack) == MAX_DEPTH:
            raise BadFrontmatter(node.line, f"nested deeper than {MAX_DEPTH}")
        self._stack.append(node)
        self._keys.append(None)

    def _close(self, event: Any) -> None:
        node = self._stack.pop()
        self._keys.pop()
        if node.flow:
            node.end = event.end_mark.index
        self._add(node)

    def _add(self, node: Node) -> None:
        if not self._stack:
            self._top = node
            return
        parent = self._stack[-1]
        # A block ends where its last value does; YAML would count the comments after it too.
        parent.end = max(parent.end, node.end)
        if isinstance(parent, Sequence):
            parent.items.append(node)
        else:
            self._add_to_mapping(parent, node)

    def _add_to_mapping(self, parent: Mapping, node: Node) -> None:
        key = self._keys[-1]
        if key is not None:
            parent.pairs[key.text] = (key, node)
            self._keys[-1] = None
        elif not isinstance(node, Scalar):
            raise BadFrontmatter(node.line, "a key must be text, not a list or a mapping")
        elif node.text in parent.pairs:
            raise BadFrontmatter(node.line, f"key '{_shorten(node.text)}' stands twice", "keep one of them")
        else:
            self._keys[-1] = node


def _place(event: Any) -> dict[str, Any]:
    mark = event.start_mark
    return {"flow": bool(event.flow_style), "start": mark.index, "end": mark.index, "line": mark.line}


def _refuse_unsafe(text: str) -> None:
    if len(text) > MAX_BLOCK or len(text.encode()) > MAX_BLOCK:
        raise BadFrontmatter(0, f"frontmatter over {MAX_BLOCK // 1024} KiB", "move long text into the body")
    if found := _DOCUMENT_END.search(text):
        raise BadFrontmatter(text.count("\n", 0, found.start()), "a line `...` ends the frontmatter early")


def _refuse_alias(event: Any) -> None:
    raise BadFrontmatter(event.start_mark.line, f"uses the alias '*{_shorten(event.anchor)}'", "write the value out")


def _refuse_marks(event: Any) -> None:
    if event.anchor is not None:
        raise BadFrontmatter(event.start_mark.line, f"sets the anchor '&{_shorten(event.anchor)}'", "take it out")
    if event.tag is not None:
        raise BadFrontmatter(event.start_mark.line, f"uses the tag '{_shorten(event.tag)}'", "take it out")


def _top_mapping(text: str, top: Node | None) -> Mapping:
    if not isinstance(top, Mapping) or top.flow:
        raise BadFrontmatter(top.line if top else 0, "the frontmatter is not a list of `key: value` lines")
    for key, _ in top.pairs.values():
        if key.start and text[key.start - 1] != "\n":
            raise BadFrontmatter(key.line, f"key '{_shorten(key.text)}' does not start its line")
    return top


def _syntax(error: Any) -> BadFrontmatter:
    mark = error.problem_mark or error.context_mark
    reason = error.problem or error.context or "no YAML"
    return BadFrontmatter(mark.line if mark else 0, f"no YAML: {reason}", _SYNTAX_HINT)


def _unprintable_error(text: str, character: str) -> BadFrontmatter:
    line = text.count("\n", 0, text.find(character))
    return BadFrontmatter(
        line, f"holds the character U+{ord(character):04X}", "write it as an escape, in double quotes"
    )


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def _events(text: str) -> Iterator[Any]:
    yaml = _load_yaml()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    events: Iterator[Any] = yaml.parse(text, Loader=loader)
    return events


@cache
def _load_yaml() -> Any:
    # Most commands only compare stamps and never read a file again: they must not pay 12 ms for YAML.
    return import_module("yaml")
