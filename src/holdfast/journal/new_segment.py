"""Beginning a segment, which seals the one before. Call it under the lock."""

import hashlib
import os

from holdfast.journal import event_keys, journal_folder, line_format, repair


def begin_segment(folder: str, number: int, last_id: str, now_ms: int) -> None:
    """Put a new active segment in place, whole from its first moment, and seal the keys of the one before."""
    prev = _hash_previous(folder, number)
    body = b'{"kind":"open","segment":%d,"prev":%s}' % (number, f'"{prev}"'.encode() if prev else b"null")
    (record_id,) = line_format.mint(now_ms, last_id or repair.find_last_id(folder))
    line = line_format.record_line(record_id, line_format.stamp(now_ms), body)
    journal_folder.replace_file(journal_folder.segment_path(folder, number), line)
    journal_folder.sync_folder(folder)
    entries = event_keys.pack_entries([(event_keys.NO_KEY, len(line))])
    repair.store_keys(journal_folder.keys_path(folder, number), event_keys.pack_active(entries))
    if prev:
        _seal_keys(folder, number - 1)


def hash_file(path: str) -> str:
    """The sha256 of a file of the journal, hex."""
    with open(journal_folder.open_file(path, os.O_RDONLY), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hash_previous(folder: str, number: int) -> str:
    path = journal_folder.segment_path(folder, number - 1)
    return hash_file(path) if os.path.exists(path) else ""


def _seal_keys(folder: str, number: int) -> None:
    path = journal_folder.keys_path(folder, number)
    size = os.stat(journal_folder.segment_path(folder, number)).st_size
    try:
        fd = journal_folder.open_file(path, os.O_RDONLY)
        try:
            lines = event_keys.lines_of(event_keys.read_active(fd))
        finally:
            os.close(fd)
    except (OSError, event_keys.KeysDamaged):
        repair.rebuild_sealed_keys(folder, number)
    else:
        repair.store_keys(path, event_keys.pack_sealed(lines, size))
