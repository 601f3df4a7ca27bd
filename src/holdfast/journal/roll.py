"""Beginning a segment, which seals the one before. Call it under the lock."""

import hashlib
import os

from holdfast.journal import disk, frame, keys, mend


def begin(folder: str, number: int, last_id: str, now_ms: int) -> None:
    """Put a new active segment in place, whole from its first moment, and seal the keys of the one before."""
    prev = _sha256_before(folder, number)
    body = b'{"kind":"open","segment":%d,"prev":%s}' % (number, f'"{prev}"'.encode() if prev else b"null")
    (record_id,) = frame.mint(now_ms, last_id or mend.last_id(folder))
    line = frame.record_line(record_id, frame.stamp(now_ms), body)
    disk.replace_file(disk.segment_path(folder, number), line)
    disk.sync_folder(folder)
    entries = keys.pack_entries([(keys.NO_KEY, len(line))])
    mend.store(disk.keys_path(folder, number), keys.pack_active(entries))
    if prev:
        _seal_keys(folder, number - 1)


def sha256_of(path: str) -> str:
    """The sha256 of a file of the journal, hex."""
    with open(disk.open_file(path, os.O_RDONLY), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256_before(folder: str, number: int) -> str:
    path = disk.segment_path(folder, number - 1)
    return sha256_of(path) if os.path.exists(path) else ""


def _seal_keys(folder: str, number: int) -> None:
    path = disk.keys_path(folder, number)
    size = os.stat(disk.segment_path(folder, number)).st_size
    try:
        fd = disk.open_file(path, os.O_RDONLY)
        try:
            lines = keys.lines_of(keys.read_active(fd))
        finally:
            os.close(fd)
    except (OSError, keys.KeysDamaged):
        mend.remake_sealed(folder, number)
    else:
        mend.store(path, keys.pack_sealed(lines, size))
