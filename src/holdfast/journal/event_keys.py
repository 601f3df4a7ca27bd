"""Which event keys a segment holds. Derived files, rebuilt when missing or damaged.

On the hot path: imports nothing that is slow to load, hence `_blake2` (hashlib loads OpenSSL) and no `struct`.

Active: `HFA1`, CRC-32 of the entries, then per line of the segment its key's hash and its end offset.
Sealed: `HFS1`, count, size of the segment, CRC-32 of these; then hashes with the offsets of their lines, sorted, in
blocks of 64 with a CRC-32 each, so that a lookup reads and checks a few blocks and not the file.
"""

import posix as os
import zlib
from _blake2 import blake2b

NO_KEY = bytes(16)
_HASH = 16
ENTRY = 24
_ACTIVE = b"HFA1"
_ACTIVE_HEAD = 8
_SEALED = b"HFS1"
_SEALED_HEAD = 20
_PER_BLOCK = 64
# Up to so many keys, searching the bytes for each is faster than taking them apart.
_FEW = 20
_BLOCK = _PER_BLOCK * ENTRY
_STRIDE = _BLOCK + 4


class KeysDamaged(Exception):
    """A keys file does not hold what it should; never leaves the journal."""


def hash_of(key: str) -> bytes:
    """The hash a key is known by; all zeros for no key."""
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_HASH).digest() if key else NO_KEY


def pack_entries(pairs: list[tuple[bytes, int]]) -> bytes:
    """Entries: a hash and an offset each."""
    return b"".join([digest + offset.to_bytes(8, "big") for digest, offset in pairs])


def pack_active(entries: bytes) -> bytes:
    """The keys file of an active segment."""
    return _active_head(zlib.crc32(entries)) + entries


def end_of(entries: bytes) -> int:
    """How far into the segment active entries reach."""
    return int.from_bytes(entries[-8:], "big")


def last_span(fd: int) -> tuple[int, int] | None:
    """Where the last line begins and ends by the active keys, or None when they do not say."""
    head, size = os.pread(fd, _ACTIVE_HEAD, 0), os.fstat(fd).st_size
    count, rest = divmod(size - _ACTIVE_HEAD, ENTRY)
    if head[:4] != _ACTIVE or rest or count < 1:
        return None
    last = os.pread(fd, 2 * ENTRY, max(_ACTIVE_HEAD, size - 2 * ENTRY))
    start = int.from_bytes(last[_HASH:ENTRY], "big") if count > 1 else 0
    return start, int.from_bytes(last[-8:], "big")


def extend_active(fd: int, pairs: list[tuple[bytes, int]]) -> None:
    """Add lines to the active keys."""
    entries = pack_entries(pairs)
    checksum = int.from_bytes(os.pread(fd, 4, 4), "big")
    os.pwrite(fd, entries, os.fstat(fd).st_size)
    os.pwrite(fd, _active_head(zlib.crc32(entries, checksum)), 0)


def read_active(fd: int) -> bytes:
    """The entries of the active keys. Raises KeysDamaged."""
    data = os.pread(fd, os.fstat(fd).st_size, 0)
    entries = data[_ACTIVE_HEAD:]
    if data[:_ACTIVE_HEAD] != _active_head(zlib.crc32(entries)) or len(entries) % ENTRY:
        raise KeysDamaged
    return entries


def count_beyond(entries: bytes, offset: int) -> int:
    """How many lines of active entries end after a byte."""
    ends = (int.from_bytes(entries[at + _HASH : at + ENTRY], "big") for at in range(0, len(entries), ENTRY))
    return sum(end > offset for end in ends)


def find_active(entries: bytes, digests: list[bytes]) -> dict[bytes, int]:
    """Where the lines with these keys begin."""
    places = _all_places(entries) if len(digests) > _FEW else {each: _find_aligned(entries, each) for each in digests}
    found = {digest: places[digest] for digest in digests if places.get(digest, -1) >= 0}
    return {digest: int.from_bytes(entries[at - 8 : at], "big") if at else 0 for digest, at in found.items()}


def _all_places(entries: bytes) -> dict[bytes, int]:
    # Backwards, so that of two lines with one key the first counts.
    return {entries[at : at + _HASH]: at for at in range(len(entries) - ENTRY, -1, -ENTRY)}


def spans_of(entries: bytes) -> list[tuple[int, int]]:
    """Where each line of active entries begins and ends."""
    ends = [int.from_bytes(entries[at + _HASH : at + ENTRY], "big") for at in range(0, len(entries), ENTRY)]
    return list(zip([0, *ends], ends, strict=False))


def lines_of(entries: bytes) -> list[tuple[bytes, int]]:
    """The keyed lines among active entries, each with the offset where it begins."""
    found, start = [], 0
    for at in range(0, len(entries), ENTRY):
        digest = entries[at : at + _HASH]
        if digest != NO_KEY:
            found.append((digest, start))
        start = int.from_bytes(entries[at + _HASH : at + ENTRY], "big")
    return found


def pack_sealed(lines: list[tuple[bytes, int]], size: int) -> bytes:
    """A keys file for a sealed segment of this size: hash and offset of each keyed line."""
    entries = pack_entries(sorted(lines))
    packed = [_sealed_head(len(lines), size)]
    for at in range(0, len(entries), _BLOCK):
        block = entries[at : at + _BLOCK]
        packed.append(block + zlib.crc32(block).to_bytes(4, "big"))
    return b"".join(packed)


def find_sealed(fd: int, size: int, digests: list[bytes]) -> dict[bytes, int]:
    """Where the lines with these keys begin in a sealed segment of this size. Raises KeysDamaged."""
    head = os.pread(fd, _SEALED_HEAD, 0)
    count = int.from_bytes(head[4:8], "big")
    if head != _sealed_head(count, size):
        raise KeysDamaged
    found = {digest: _offset_of(fd, count, digest) for digest in digests}
    return {digest: offset for digest, offset in found.items() if offset is not None}


def read_sealed(fd: int, size: int) -> list[bytes]:
    """The hashes of all keys of a sealed segment of this size. Raises KeysDamaged."""
    head = os.pread(fd, _SEALED_HEAD, 0)
    count = int.from_bytes(head[4:8], "big")
    if head != _sealed_head(count, size):
        raise KeysDamaged
    entries = _read_blocks(fd, count, 0, -(-count // _PER_BLOCK))
    return [entries[at : at + _HASH] for at in range(0, len(entries), ENTRY)]


def _offset_of(fd: int, count: int, digest: bytes) -> int | None:
    # Hashes are spread evenly, so a digest tells its own place to within a few square roots of the count.
    guess = int.from_bytes(digest[:8], "big") * count >> 64
    reach = 2 * int(count**0.5) + 1
    blocks = -(-count // _PER_BLOCK)
    first, last = max(0, (guess - reach) // _PER_BLOCK), min(blocks, (guess + reach) // _PER_BLOCK + 1)
    entries = _read_blocks(fd, count, first, last)
    before = first == 0 or entries[:_HASH] <= digest
    after = last == blocks or entries[-ENTRY:-8] >= digest
    if not (before and after):
        entries = _read_blocks(fd, count, 0, blocks)
    at = _find_aligned(entries, digest)
    return None if at < 0 else int.from_bytes(entries[at + _HASH : at + ENTRY], "big")


def _read_blocks(fd: int, count: int, first: int, last: int) -> bytes:
    data = os.pread(fd, (last - first) * _STRIDE, _SEALED_HEAD + first * _STRIDE)
    blocks = []
    for at in range(0, len(data), _STRIDE):
        block, checksum = data[at : at + _STRIDE][:-4], data[at : at + _STRIDE][-4:]
        if zlib.crc32(block).to_bytes(4, "big") != checksum:
            raise KeysDamaged
        blocks.append(block)
    entries = b"".join(blocks)
    if len(entries) != (min(count, last * _PER_BLOCK) - first * _PER_BLOCK) * ENTRY:
        raise KeysDamaged
    return entries


def _find_aligned(entries: bytes, digest: bytes) -> int:
    at = entries.find(digest)
    while at > 0 and at % ENTRY:
        at = entries.find(digest, at + 1)
    return at


def _active_head(checksum: int) -> bytes:
    return _ACTIVE + checksum.to_bytes(4, "big")


def _sealed_head(count: int, size: int) -> bytes:
    head = _SEALED + count.to_bytes(4, "big") + size.to_bytes(8, "big")
    return head + zlib.crc32(head).to_bytes(4, "big")
