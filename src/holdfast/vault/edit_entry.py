"""One entry of a file, changed in place: the bytes of what changes, and no others."""

import json
import re
from collections.abc import Iterator
from typing import Any

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.memory import Memory
from holdfast.core.memory_json import to_json
from holdfast.core.value import Value
from holdfast.vault.frontmatter import BadFrontmatter, Mapping, Node, Scalar, read_block
from holdfast.vault.parse_memory import first_line, memory_from, read_entry
from holdfast.vault.render_memory import WrittenValue, frontmatter_keys, key_lines, render, write_value
from holdfast.vault.split_entries import EntrySpan, body_of, escape_rules, split_bom, split_entries

_REST_OF_KEY = re.compile(r"[^\n]*\n(?:[ \t]+#[^\n]*\n)*")
_COLON = re.compile(r"[ \t]*:")


class NotWritable(BadRequest):
    """A memory that a file cannot hold so that it reads back the same."""

    def __init__(self, memory_id: str, reason: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' cannot be written: {reason}.",
            "keep long text in the body, close code fences, and use text, numbers, lists and mappings only.",
        )


class NoEntryThere(NotFound):
    """No entry opens on the named line."""

    def __init__(self, line: int) -> None:
        super().__init__(f"No entry opens on line {line}.", "read the file again.")


class _Edit(Value):
    """Text to put in the place of a stretch."""

    start: int
    end: int
    text: str


def render_new_file(memory: Memory) -> str:
    """The text of a new file with this memory, proven to read back. Raises NotWritable."""
    _refuse_foreign_values(memory)
    text = render(memory)
    _prove_text(text, [""], 0, memory)
    return text


def replace_entry(text: str, line: int, memory: Memory) -> str:
    """The file's text with the entry that opens on a line changed to this memory. Raises NotWritable."""
    _refuse_foreign_values(memory)
    bom, text = split_bom(text)
    spans = split_entries(text).spans
    at = _index_of(spans, line)
    span = spans[at]
    block = read_block(text[span.block : span.close])
    old = memory_from(block, body_of(text, span))
    changed = _apply(text, [*_key_edits(text, span, block, old, memory), *_body_edits(text, span, old, memory)])
    _prove_text(changed, [text[each.start : each.end] for each in spans], at, memory)
    return bom + changed


def remove_entry(text: str, line: int) -> tuple[str, str]:
    """The file's text without the entry that opens on a line, and the entry's own text."""
    bom, text = split_bom(text)
    spans = split_entries(text).spans
    span = spans[_index_of(spans, line)]
    return bom + text[: span.start] + text[span.end :], text[span.start : span.end]


def replace_value(lines: str, key: str, value: Any) -> str:
    """The lines of one key, as they stand in a frontmatter, with another value; remarks stay."""
    end = len(lines)
    span = EntrySpan(start=0, block=0, close=end, body=end, end=end, line=1, newline="\n")
    return _apply(lines, [_replace_pair(lines, span, read_block(lines).pairs[key], write_value(key, value))])


def end_of_key(text: str, start: int) -> int:
    """Where the lines of a key end whose value ends at `start`: remarks indented below it are its own."""
    lines = _REST_OF_KEY.match(text, start)
    return lines.end() if lines else len(text)


def _index_of(spans: tuple[EntrySpan, ...], line: int) -> int:
    for index, span in enumerate(spans):
        if span.line == line:
            return index
    raise NoEntryThere(line)


def _key_edits(text: str, span: EntrySpan, block: Mapping, old: Memory, new: Memory) -> Iterator[_Edit]:
    wanted, present = frontmatter_keys(new), frontmatter_keys(old)
    if not _says_title(block):
        present.pop("title", None)
        if new.title == first_line(new.body):
            wanted.pop("title", None)
    appended: list[str] = []
    for key in {**present, **wanted}:
        if _canonical_json(wanted.get(key)) == _canonical_json(present.get(key)) and (key in wanted) == (
            key in present
        ):
            continue
        if key not in block.pairs:
            appended += key_lines(key, wanted[key]) if key in wanted else []
        elif key in wanted:
            yield _replace_pair(text, span, block.pairs[key], write_value(key, wanted[key]))
        else:
            yield _remove_pair(text, span, block.pairs[key])
    yield _Edit(start=span.close, end=span.close, text="".join(line + span.newline for line in appended))


def _says_title(block: Mapping) -> bool:
    match block.pairs.get("title"):
        case None | (_, Scalar(text="", plain=True)):
            return False
        case _:
            return True


def _replace_pair(text: str, span: EntrySpan, pair: tuple[Scalar, Node], written: WrittenValue) -> _Edit:
    key, value = pair
    start, end = span.block + value.start, span.block + value.end
    column = start - (text.rfind("\n", 0, start) + 1)
    is_block = not isinstance(value, Scalar) and not value.flow
    if is_block and written.block and (column or written.block[0].startswith("- ")):
        return _Edit(start=start, end=end, text=f"{span.newline}{' ' * column}".join(written.block))
    colon = _COLON.match(text, span.block + key.end)
    if colon and (column == 0 or start == colon.end()):
        # Beside the key: at the start of a line only a block list may stand, and after `:` a space must.
        return _Edit(start=colon.end(), end=end, text=f" {written.inline}")
    return _Edit(start=start, end=end, text=written.inline)


def _remove_pair(text: str, span: EntrySpan, pair: tuple[Scalar, Node]) -> _Edit:
    key, value = pair
    # Remarks indented below the key are its own; left alone they could become text of the value above.
    lines = _REST_OF_KEY.match(text, span.block + max(key.end, value.end))
    end = lines.end() if lines else span.close
    return _Edit(start=span.block + key.start, end=end, text="")


def _body_edits(text: str, span: EntrySpan, old: Memory, new: Memory) -> Iterator[_Edit]:
    if new.body == old.body:
        return
    raw = text[span.body : span.end]
    before = span.newline if _wants_blank_line(raw, new.body, span) else ""
    after = "" if _ends_openly(raw) and new.body[-1:] != "\n" else span.newline
    body = escape_rules(new.body).replace("\n", span.newline)
    closed = text[: span.body].endswith("\n")
    replacement = f"{before}{body}{after}" if new.body else ""
    yield _Edit(start=span.body, end=span.end, text=replacement if closed or not body else span.newline + replacement)


def _wants_blank_line(raw: str, body: str, span: EntrySpan) -> bool:
    return not raw or raw.startswith(span.newline) or body.startswith("\n")


def _ends_openly(raw: str) -> bool:
    return bool(raw) and not raw.endswith("\n")


def _apply(text: str, edits: list[_Edit]) -> str:
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _prove_text(text: str, entries: list[str], at: int, memory: Memory) -> None:
    """Nothing is written that would not be read as it was meant, in this entry or its neighbours."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NotWritable(memory.id, f"it holds half a character, U+{ord(text[error.start]):04X}") from None
    spans = split_entries(text).spans
    found = [text[span.start : span.end] for span in spans]
    if found[:at] != entries[:at] or found[at + 1 :] != entries[at + 1 :]:
        raise NotWritable(memory.id, "it would hide or change another entry of its file")
    _prove_entry(text, spans[at], memory)


def _prove_entry(text: str, span: EntrySpan, memory: Memory) -> None:
    try:
        found = read_entry(text, span)
    except BadFrontmatter as error:
        raise NotWritable(memory.id, error.reason) from None
    if _canonical_json(to_json(found)) != _canonical_json(to_json(memory)):
        raise NotWritable(memory.id, "it would not read back the same")


def _refuse_foreign_values(memory: Memory) -> None:
    try:
        _canonical_json(to_json(memory))
    except (TypeError, ValueError, RecursionError) as error:
        raise NotWritable(memory.id, str(error)) from None


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
