"""A bundle in a store: one object where it is small; else parts, named by their sums, and an object that lists them.

A part that is there is not sent again, so an upload that was cut short goes on where it stopped, in every store alike.
The list comes last: before it stands, the bundle is not there.
"""

import json
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import BinaryIO

from holdfast.core.value import Value
from holdfast.exchange.bundle_format.bundle_values import BadBundle
from holdfast.exchange.bundle_format.tar_stream import BytesReader
from holdfast.exchange.object_store import ABSENT, ANY, Lost, Objects, Stored, TooLarge

PART = 16 << 20
PARTS = ".parts/"
LARGEST_PART = 64 << 20
FORMAT = "holdfast-parts"
START = b'{"format":"holdfast-parts"'
MOST_LIST = 16 << 20
PART_NAME = re.compile(r"[0-9]{6}-[0-9a-f]{32}")
Progress = Callable[[str, int, int], None]


class UploadResult(Value):
    """What an upload did: parts sent, and parts that were there."""

    sent: int
    known: int


def parts_prefix(name: str) -> str:
    """Where the parts of a bundle lie."""
    return f"{name}{PARTS}"


def owner_of(part: str) -> str:
    """The bundle that a part belongs to; empty for what is no part."""
    start, mark, _ = part.rpartition(PARTS)
    return start if mark else ""


def upload(
    store: Objects, name: str, file: BinaryIO, size: int, progress: Progress | None = None, *, replace: bool = False,
    part_bytes: int = PART,
) -> UploadResult:  # fmt: skip
    """Put a bundle into a store under a name. What an earlier try sent is not sent again."""
    if size <= part_bytes:
        _put_once(store, name, file.read(), replace=replace)
        return UploadResult(sent=1, known=0)
    there = {each.name: each.size for each in store.list(parts_prefix(name))}
    rows: list[tuple[str, int, str]] = []
    known, whole, done = 0, sha256(), 0
    while data := file.read(part_bytes):
        digest = sha256(data).hexdigest()
        part = f"{parts_prefix(name)}{len(rows):06d}-{digest[:32]}"
        whole.update(data)
        if there.get(part) == len(data):
            known += 1
        else:
            store.put(part, data)
        rows.append((part.rpartition("/")[2], len(data), digest))
        done += len(data)
        if progress:
            progress("sending", done, size)
    told = {"format": FORMAT, "version": 1, "size": size, "sha256": whole.hexdigest(), "parts": rows}
    _put_once(store, name, json.dumps(told, separators=(",", ":")).encode(), replace=replace)
    return UploadResult(sent=len(rows) - known, known=known)


def _put_once(store: Objects, name: str, data: bytes, *, replace: bool) -> None:
    """Put an object that nobody has, or that is the very same; or in the place of any."""
    try:
        store.put(name, data, ANY if replace else ABSENT)
    except Lost:
        # A try whose answer was lost on the way.
        if not _is_there(store, name, data):
            raise


def _is_there(store: Objects, name: str, data: bytes) -> bool:
    try:
        there = store.get(name, len(data))
    except TooLarge:
        return False
    return there is not None and there[0] == data


def list_stray_parts(store: Objects, name: str) -> list[Stored]:
    """Parts that lie below a name, and no bundle of that name has: an upload was cut short, or another took its place.

    Raises BadBundle where what the bundle has cannot be told.
    """
    there = store.list(parts_prefix(name))
    listed = _list_parts(store, name) if there else None
    own = {parts_prefix(name) + part for part, _, _ in listed or ()}
    return [row for row in there if row.name not in own]


def _list_parts(store: Objects, name: str) -> list[tuple[str, int, str]] | None:
    """The parts of a bundle; None where it is one object, or none."""
    source = store.open(name)
    if source is None:
        return None
    start = _start(source)
    return _rows(_read_at_most(MOST_LIST, PieceReader(_rest(start, source)))) if start == START else None


def download(store: Objects, name: str) -> BytesReader | None:
    """A bundle's bytes, in turn; None where there is none of that name."""
    source = store.open(name)
    if source is None:
        return None
    start = _start(source)
    if start != START:
        return PieceReader(_rest(start, source))
    listed = _read_at_most(MOST_LIST, PieceReader(_rest(start, source)))
    return PieceReader(_pieces(store, name, _rows(listed)))


def _start(source: BytesReader) -> bytes:
    start = b""
    while len(start) < len(START) and (piece := source.read(len(START) - len(start))):
        start += piece
    return start


def _rest(start: bytes, source: BytesReader) -> Iterator[bytes]:
    yield start
    while piece := source.read(1 << 20):
        yield piece


def _read_at_most(most: int, source: BytesReader) -> bytes:
    """All of an object, and one byte more than there may be where it is too large: a store is not trusted."""
    pieces, left = [], most + 1
    while left and (piece := source.read(left)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _rows(listed: bytes) -> list[tuple[str, int, str]]:
    try:
        told = json.loads(listed) if len(listed) <= MOST_LIST else {}
        rows = [(str(name), size, str(digest)) for name, size, digest in told["parts"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadBundle("the list of its parts cannot be read") from None
    for name, size, _ in rows:
        if not PART_NAME.fullmatch(name) or type(size) is not int or not 0 <= size <= LARGEST_PART:
            raise BadBundle("the list of its parts names what is none")
    return rows


def _pieces(store: Objects, name: str, rows: list[tuple[str, int, str]]) -> Iterator[bytes]:
    for part, size, digest in rows:
        source = store.open(parts_prefix(name) + part)
        if source is None:
            raise BadBundle(f"its part {part!r} is missing")
        held = _read_at_most(size, source)
        if len(held) != size or sha256(held).hexdigest() != digest:
            raise BadBundle(f"its part {part!r} has a bad sum")
        yield held


class PieceReader:
    """Pieces of any size, read by the number of bytes."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._left = pieces, memoryview(b"")

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._left = memoryview(piece)
        size = len(self._left) if size < 0 else size
        data, self._left = bytes(self._left[:size]), self._left[size:]
        return data
