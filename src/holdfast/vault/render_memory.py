"""A memory → the text of a file. Every value is written so that it reads back as itself."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.memory import Memory
from holdfast.core.memory_json import to_json
from holdfast.core.value import Value
from holdfast.vault.split_entries import escape_rules

KEY_ORDER = (
    "id",
    "type",
    "status",
    "title",
    "category",
    "tags",
    "paths",
    "subject",
    "question",
    "choice",
    "rejected",
    "enforce",
    "error_type",
    "error_message",
    "root_cause",
    "context",
    "attempts",
    "fact",
    "confidence",
    "said_by",
    "evidence",
    "cites",
    "supersedes",
    "valid_from",
    "valid_until",
    "source",
    "updated",
    "because",
)
# Dates stand plain: ours are read by the field's type, and other tools should see a date.
_PLAIN_DATES = frozenset({"valid_from", "valid_until", "updated"})
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?")
_PLAIN_START = re.compile(r"[\w/.(]")
_NUMBER_OR_DATE_LIKE = re.compile(r"[-+.]?[0-9][-+0-9._:eExXoa-fA-FTZ ]*|\.(?:inf|nan)", re.IGNORECASE)
_WORDS_YAML_READS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null", "~"})
_LISTS_OF_PARTS = ("rejected", "evidence", "cites")
_EMPTY: tuple[object, ...] = ("", [], None)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


class WrittenValue(Value):
    """A value in both of its forms: on the key's own line, and, for lists and mappings, as lines below it."""

    inline: str
    block: tuple[str, ...] = ()


def render(memory: Memory) -> str:
    """The text of a new file with this memory."""
    lines = [line for key, value in frontmatter_keys(memory).items() for line in key_lines(key, value)]
    head = "\n".join(["---", *lines, "---", ""])
    return head + render_body(memory.body)


def render_body(body: str) -> str:
    """A body as it stands below a frontmatter: after a blank line, ended by a newline."""
    return f"\n{escape_rules(body)}\n" if body else ""


def frontmatter_keys(memory: Memory) -> dict[str, Any]:
    """What the frontmatter of a memory says, in order; empty values are left out."""
    data = to_json(memory)
    for key in _LISTS_OF_PARTS:
        data[key] = [_drop_empty_parts(item) for item in data.get(key, ())]
    # Without a title, the first line of the body would be read as one.
    keys = {key: data[key] for key in KEY_ORDER if data.get(key) not in _EMPTY or (key == "title" and memory.body)}
    return {**keys, **data.get("extra", {})}


def key_lines(key: str, value: Any) -> list[str]:
    """The lines of one key: lists of mappings and mappings below it, all else beside it."""
    name = render_scalar(key, flow=False)
    written = write_value(key, value)
    if written.block and _reads_better_below(value):
        return [f"{name}:", *(f"  {line}" for line in written.block)]
    return [f"{name}: {written.inline}"]


def write_value(key: str, value: Any) -> WrittenValue:
    """A key's value in its forms."""
    if key in _PLAIN_DATES and isinstance(value, str) and _DATE.fullmatch(value):
        return WrittenValue(inline=value)
    if isinstance(value, Mapping):
        return WrittenValue(inline=_render_inline(value), block=tuple(_mapping_lines(value)))
    if isinstance(value, list | tuple):
        return WrittenValue(inline=_render_inline(value), block=tuple(_list_lines(value)))
    return WrittenValue(inline=_render_inline(value, flow=False))


def render_scalar(text: str, *, flow: bool) -> str:
    """Text as a YAML scalar: plain where it safely reads back as itself, else in double quotes on one line."""
    return text if _is_safe_plain(text, flow=flow) else _quote_scalar(text)


def _reads_better_below(value: Any) -> bool:
    return isinstance(value, Mapping) or any(isinstance(item, Mapping) for item in value)


def _mapping_lines(mapping: Mapping[str, Any]) -> Iterable[str]:
    return (
        f"{render_scalar(str(key), flow=False)}: {_render_inline(value, flow=False)}" for key, value in mapping.items()
    )


def _list_lines(items: Iterable[Any]) -> Iterable[str]:
    for item in items:
        if not isinstance(item, Mapping) or not item:
            yield f"- {_render_inline(item, flow=False)}"
            continue
        for number, line in enumerate(_mapping_lines(item)):
            yield f"  {line}" if number else f"- {line}"


def _drop_empty_parts(item: Mapping[str, str]) -> dict[str, str]:
    first, *_ = item
    return {key: text for key, text in item.items() if text or key == first}


def _render_inline(value: Any, *, flow: bool = True) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{render_scalar(str(key), flow=True)}: {_render_inline(each)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_render_inline, value)) + "]"
    if isinstance(value, str):
        return render_scalar(value, flow=flow)
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _is_safe_plain(text: str, *, flow: bool) -> bool:
    if not text.isprintable() or not _PLAIN_START.match(text) or text[-1] in " :":
        return False
    if ": " in text or " #" in text or _NUMBER_OR_DATE_LIKE.fullmatch(text):
        return False
    if flow and any(character in ",[]{}:?" for character in text):
        return False
    return text.lower() not in _WORDS_YAML_READS and not text.startswith(("...", "---"))


def _quote_scalar(text: str) -> str:
    return '"' + "".join(_escape_character(character) for character in text) + '"'


def _escape_character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
