"""Two edits of one memory file put together: entry by entry, key by key, the body line by line.

What only one side changed is taken as that side wrote it. Markers stand only where both changed one thing.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from holdfast.core.errors import Damaged
from holdfast.core.memory import NOTHING
from holdfast.core.value import Value
from holdfast.vault.edit_entry import end_of_key, replace_value
from holdfast.vault.frontmatter import BadFrontmatter, read_block
from holdfast.vault.parse_memory import memory_from
from holdfast.vault.render_memory import frontmatter_keys
from holdfast.vault.split_entries import EntrySpan, body_of, find_unmerged, split_bom, split_entries

# base, ours, theirs → the text of both, and whether that went without markers.
LineMerge = Callable[[str, str, str], tuple[str, bool]]
MARKER = 7
# The parts by which an item of a list is still the same one when its other parts change.
_SAME_BY = {"rejected": ("option",), "cites": ("path", "lines"), "keep_both": ("id",)}
_REMARK = re.compile(r"(?:^|[ \t])#[^\n]*", re.MULTILINE)
_LATER = frozenset({"updated"})
_Name = TypeVar("_Name")


class NotMergeable(Damaged):
    """Text that is no memory file on every side: it can only be merged line by line."""


class MergedMemoryFile(Value):
    """The text of both edits; not clean where markers stand in it."""

    text: str
    clean: bool


class _Key(Value):
    """One key of a frontmatter: remarks before it, its own lines, and what they say."""

    lead: str
    text: str
    value: Any


class _Piece(Value):
    """One entry, cut where it can be merged."""

    head: str = ""
    keys: Mapping[str, _Key] = NOTHING
    tail: str = ""
    rule: str = ""
    above: str = ""
    body: str = ""
    below: str = ""

    @property
    def text(self) -> str:
        """The entry as it stands, without what parts it from the next."""
        keys = (key.lead + key.text for key in self.keys.values())
        return "".join((self.head, *keys, self.tail, self.rule, self.above, self.body))


class _SplitFile(Value):
    """A file: what stands before its first entry, and the entries by id."""

    before: str
    pieces: dict[str, _Piece]


class _MergeConflict(Exception):
    """Both sides changed one value."""


def merge_texts(base: str, ours: str, theirs: str, lines: LineMerge, marker: int = MARKER) -> MergedMemoryFile:
    """Both edits of a file. Raises NotMergeable where a side is no memory file."""
    if theirs in {base, ours}:
        return MergedMemoryFile(text=ours, clean=True)
    if ours == base:
        return MergedMemoryFile(text=theirs, clean=True)
    sides = [split_bom(text) for text in (base, ours, theirs)]
    breaks = [_newline(text) for _, text in sides]
    if "" in breaks:
        breaks = ["\n"] * 3
    texts = [text.replace(each, "\n") for (_, text), each in zip(sides, breaks, strict=True)]
    merged = _Merger(lines, marker).merged(*map(_split_file, texts))
    newline, bom = _take_changed(*breaks), _take_changed(*(bom for bom, _ in sides))
    return MergedMemoryFile(text=bom + merged.text.replace("\n", newline), clean=merged.clean)


class _Merger:
    """One merge: what was decided on the way is checked against what can be read at the end."""

    def __init__(self, lines: LineMerge, marker: int) -> None:
        self._lines, self._marker = lines, marker
        self._clean = True
        self._decided: dict[str, dict[str, Any]] = {}

    def merged(self, base: _SplitFile, ours: _SplitFile, theirs: _SplitFile) -> MergedMemoryFile:
        """The file that holds both edits."""
        text = self._text(base.before, ours.before, theirs.before)
        for name in _merge_order(ours.pieces, theirs.pieces):
            piece = self._entry(name, base.pieces.get(name), ours.pieces.get(name), theirs.pieces.get(name))
            text = _end_with_newline(text) + piece if piece else text
        if self._clean:
            self._prove(text)
        return MergedMemoryFile(text=text, clean=self._clean)

    def _entry(self, name: str, base: _Piece | None, ours: _Piece | None, theirs: _Piece | None) -> str:
        if ours and theirs:
            self._decided[name] = {}
            return self._both(name, base or _Piece(), ours, theirs)
        kept = ours or theirs
        if kept is None or (base and base.text == kept.text):
            return ""
        if base is None:
            self._decided[name] = {}
            return kept.text + kept.below
        return self._marked(*(_end_with_newline(piece.text + piece.below) if piece else "" for piece in (ours, theirs)))

    def _both(self, name: str, base: _Piece, ours: _Piece, theirs: _Piece) -> str:
        sides = (base, ours, theirs)
        keys = (
            self._key(name, key, *(piece.keys.get(key) for piece in sides))
            for key in _merge_order(ours.keys, theirs.keys)
        )
        head = _take_changed(*(piece.head for piece in sides))
        block = "".join((head, *keys, self._text(*(piece.tail for piece in sides))))
        above = _take_longer(*(piece.above for piece in sides))
        body = self._text(*(piece.body for piece in sides))
        rule = _take_changed(*(piece.rule for piece in sides))
        below = _take_longer(*(piece.below for piece in sides))
        return block + (_end_with_newline(rule) if body else rule) + above + body + below

    def _key(self, entry: str, name: str, base: _Key | None, ours: _Key | None, theirs: _Key | None) -> str:
        lead = self._text(*(key.lead if key else "" for key in (base, ours, theirs)))
        text = self._value(entry, name, *(key or _NO_KEY for key in (base, ours, theirs)))
        return lead + text

    def _value(self, entry: str, name: str, base: _Key, ours: _Key, theirs: _Key) -> str:
        if theirs.text in {base.text, ours.text}:
            return ours.text
        if ours.text == base.text:
            return theirs.text
        try:
            text = self._said(entry, name, base, ours, theirs)
        except _MergeConflict:
            return self._marked(ours.text, theirs.text)
        # Remarks are words too: none that a side wrote goes because the other side's value is taken.
        return text if _new_remarks(base, ours, theirs) <= _remarks(text) else self._marked(ours.text, theirs.text)

    def _said(self, entry: str, name: str, base: _Key, ours: _Key, theirs: _Key) -> str:
        """The lines of a key that both sides rewrote. Raises _Clash."""
        if _same_value(ours.value, theirs.value):
            return _with_remarks(ours.text, theirs.text)
        if _same_value(theirs.value, base.value):
            return ours.text
        if _same_value(ours.value, base.value):
            return theirs.text
        if name in _LATER and ours.value and theirs.value:
            mine, other = _moment(ours.value), _moment(theirs.value)
            return _with_remarks(ours.text, theirs.text) if mine == other else (ours if mine > other else theirs).text
        if _new_remarks(base, ours, theirs):
            # Whose lines go on depends on the side; whether this merges must not.
            raise _MergeConflict
        value = _merge_values(name, base.value, ours.value, theirs.value)
        self._decided[entry][name] = value
        return _write_value(ours.text or theirs.text, name, value) if value else ""

    def _text(self, base: str, ours: str, theirs: str) -> str:
        if ours == theirs or theirs == base:
            return ours
        if ours == base:
            return theirs
        ended = [_end_with_newline(text) for text in (base, ours, theirs)]
        text, clean = self._lines(*ended)
        self._clean = self._clean and clean
        # The last line of a body has no end here; that is kept beside it.
        return text if ended == [base, ours, theirs] else text.removesuffix("\n")

    def _marked(self, ours: str, theirs: str) -> str:
        self._clean = False
        size = self._marker
        return f"{'<' * size} ours\n{ours}{'=' * size}\n{theirs}{'>' * size} theirs\n"

    def _prove(self, text: str) -> None:
        found = _split_file(text).pieces
        if set(found) != set(self._decided):
            raise NotMergeable("The merged text would hide an entry.")
        for name, values in self._decided.items():
            said = {key: found[name].keys[key].value if key in found[name].keys else None for key in values}
            if any(not _same_value(said[key], value or None) for key, value in values.items()):
                raise NotMergeable("The merged text would not read as it was meant.")


_NO_KEY = _Key(lead="", text="", value=None)


def _split_file(text: str) -> _SplitFile:
    """A file in its pieces. Raises NotMergeable."""
    layout = split_entries(text)
    if layout.suspects or find_unmerged(text) or (text.strip() and not layout.spans):
        raise NotMergeable("The text is no memory file.")
    pieces: dict[str, _Piece] = {}
    for span in layout.spans:
        name, piece = _piece(text, span)
        if name in pieces:
            raise NotMergeable(f"{name} stands there twice.")
        pieces[name] = piece
    return _SplitFile(before=text[: layout.spans[0].start] if layout.spans else text, pieces=pieces)


def _piece(text: str, span: EntrySpan) -> tuple[str, _Piece]:
    block = text[span.block : span.close]
    try:
        mapping = read_block(block)
        memory = memory_from(mapping, body_of(text, span))
    except BadFrontmatter as error:
        raise NotMergeable(error.reason) from None
    said = frontmatter_keys(memory)
    keys: dict[str, _Key] = {}
    at = 0
    for name, (key, value) in mapping.pairs.items():
        end = end_of_key(block, max(key.end, value.end))
        keys[name] = _Key(lead=block[at : key.start], text=block[key.start : end], value=said.get(name))
        at = end
    raw = text[span.body : span.end]
    body = raw.strip("\n")
    above = raw[: len(raw) - len(raw.lstrip("\n"))] if body else ""
    return memory.id, _Piece(
        head=text[span.start : span.block], keys=keys, tail=block[at:], rule=text[span.close : span.body],
        above=above, body=body, below=raw[len(above) + len(body) :],
    )  # fmt: skip


def _write_value(lines: str, name: str, value: Any) -> str:
    try:
        return replace_value(lines, name, value)
    except BadFrontmatter as error:
        raise NotMergeable(error.reason) from None


def _merge_values(name: str, base: Any, ours: Any, theirs: Any) -> Any:
    """A value that both sides changed. Raises _Clash."""
    if _all_of_type(list, base, ours, theirs):
        return _merge_lists(name, base or [], ours or [], theirs or [])
    if _all_of_type(dict, base, ours, theirs):
        return _merge_mappings(base or {}, ours or {}, theirs or {})
    raise _MergeConflict


def _merge_lists(name: str, base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
    sides = (base, ours, theirs)
    parts = _SAME_BY.get(name, ())
    if any(len(_by_identity(side, parts)) < len(side) for side in sides):
        parts = ()
    then, mine, other = (_by_identity(side, parts) for side in sides)
    found = (_merge_item(then.get(each), mine.get(each), other.get(each)) for each in _merge_order(mine, other))
    return [item for item in found if item is not None]


def _merge_mappings(base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    found = {key: _merge_item(base.get(key), ours.get(key), theirs.get(key), key) for key in _merge_order(ours, theirs)}
    return {key: value for key, value in found.items() if value is not None}


def _merge_item(base: Any, ours: Any, theirs: Any, name: str = "") -> Any:
    """What becomes of one thing inside a list or mapping; None when it goes."""
    if _same_value(ours, theirs) or _same_value(theirs, base):
        return ours
    if _same_value(ours, base):
        return theirs
    return _merge_values(name, base, ours, theirs) if name else _raise_conflict()


def _raise_conflict() -> Any:
    raise _MergeConflict


def _by_identity(items: list[Any], parts: tuple[str, ...]) -> dict[str, Any]:
    def identity(item: Any) -> str:
        return _canonical_json([item.get(part) for part in parts] if parts and isinstance(item, dict) else item)

    return {identity(item): item for item in items}


def _all_of_type(kind: type, *values: Any) -> bool:
    return all(value is None or isinstance(value, kind) for value in values)


def _remarks(text: str) -> set[str]:
    return {remark.strip() for remark in _REMARK.findall(text)}


def _new_remarks(base: _Key, ours: _Key, theirs: _Key) -> set[str]:
    return (_remarks(ours.text) | _remarks(theirs.text)) - _remarks(base.text)


def _with_remarks(ours: str, theirs: str) -> str:
    """Of two ways to write a value ours, unless theirs says all that ours does beside it, and more."""
    return theirs if _remarks(ours) < _remarks(theirs) else ours


def _merge_order(ours: Iterable[_Name], theirs: Iterable[_Name]) -> list[_Name]:
    """The names of both: ours in their order, and theirs behind what they stand behind over there."""
    found = list(ours)
    at = 0
    for name in theirs:
        if name in found:
            at = found.index(name) + 1
        else:
            found.insert(at, name)
            at += 1
    return found


def _take_changed(base: str, ours: str, theirs: str) -> str:
    return theirs if ours == base else ours


def _take_longer(base: str, ours: str, theirs: str) -> str:
    if base in {ours, theirs}:
        return _take_changed(base, ours, theirs)
    return max(ours, theirs, key=len)


def _end_with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _newline(text: str) -> str:
    """The line break that a text uses throughout; empty where it uses both, and then they are left as they are."""
    crlf = text.count("\r\n")
    return "\n" if not crlf else "\r\n" if crlf == text.count("\n") else ""


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _same_value(one: Any, other: Any) -> bool:
    return _canonical_json(one) == _canonical_json(other)


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
