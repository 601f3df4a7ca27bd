"""Putting right what a crash left: a torn tail, and keys that lag, lack or lie. Call it under the lock."""

import contextlib
import os
import time

from holdfast.journal import event_keys, journal_folder, line_format, line_scan

# Keys of lines that are gone: what `verify` reports until a person takes the file away.
LOST = ".lost"


def repair_tail(folder: str, number: int) -> list[str]:
    """Cut what follows the last newline into a side file; the side files made."""
    fd = journal_folder.open_file(journal_folder.segment_path(folder, number), os.O_RDWR)
    try:
        size, end = os.fstat(fd).st_size, _size_of_whole_lines(fd)
        if end == size:
            return []
        name = f"{number:08d}-{end}-{time.time_ns()}.bin"
        torn = _set_aside(folder, name, os.pread(fd, size - end, end))
        os.ftruncate(fd, end)
        journal_folder.sync(fd)
    finally:
        os.close(fd)
    return [torn]


def rebuild_active_keys(folder: str, number: int) -> bytes:
    """Bring the keys of the active segment up to date with it; their entries."""
    with line_scan.open_segment(folder, number) as file:
        entries = _valid_entries(folder, number, os.fstat(file.fileno()).st_size)
        lines = line_scan.scan_lines(file, event_keys.end_of(entries))
        entries += event_keys.pack_entries([(_digest(line), line.offset + len(line.raw)) for line in lines])
    store_keys(journal_folder.keys_path(folder, number), event_keys.pack_active(entries))
    return entries


def rebuild_sealed_keys(folder: str, number: int) -> dict[bytes, int]:
    """Rewrite the keys of a sealed segment; where the line of each key begins."""
    path = journal_folder.segment_path(folder, number)
    packed, starts = build_sealed_keys(path)
    store_keys(journal_folder.keys_path(folder, number), packed)
    return starts


def build_sealed_keys(path: str) -> tuple[bytes, dict[bytes, int]]:
    """The keys file that a sealed segment should have, and the same as a mapping."""
    with open(journal_folder.open_file(path, os.O_RDONLY), "rb") as file:
        found = [(_digest(line), line.offset) for line in line_scan.scan_lines(file)]
        size = os.fstat(file.fileno()).st_size
    keyed = [(digest, offset) for digest, offset in found if digest != event_keys.NO_KEY]
    return event_keys.pack_sealed(keyed, size), dict(reversed(keyed))


def find_last_id(folder: str) -> str:
    """The greatest id in the newest segment that has one; empty in a new journal."""
    for number in reversed(journal_folder.numbers(folder)):
        with line_scan.open_segment(folder, number) as file:
            ids = [line_format.id_in(line.raw) for line in line_scan.scan_lines(file) if line.data is not None]
        if any(ids):
            return max(ids)
    return ""


def store_keys(path: str, data: bytes) -> None:
    """Put a keys file in place, if the disk lets us."""
    # Derived: on a full disk the answer still holds, and the next writer tries again.
    with contextlib.suppress(OSError):
        journal_folder.replace_file(path, data, derived=True)


def _valid_entries(folder: str, number: int, size: int) -> bytes:
    try:
        with open(journal_folder.open_file(journal_folder.keys_path(folder, number), os.O_RDONLY), "rb") as file:
            entries = event_keys.read_active(file.fileno())
    except (OSError, event_keys.KeysDamaged):
        return b""
    if event_keys.end_of(entries) <= size:
        return entries
    # They are written after the lines: what they name was there, and the next line would hide that it is gone.
    _set_aside(folder, f"{number:08d}-{size}-{time.time_ns()}{LOST}", event_keys.pack_active(entries))
    return b""


def _digest(line: line_scan.JournalLine) -> bytes:
    is_event = line.data is not None and line.kind == line_scan.EVENT
    return event_keys.hash_of(str(line.data.get("key") or "")) if line.data and is_event else event_keys.NO_KEY


def _size_of_whole_lines(fd: int, step: int = 1 << 16) -> int:
    end = os.fstat(fd).st_size
    while end > 0:
        start = max(0, end - step)
        newline = os.pread(fd, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def _set_aside(folder: str, name: str, data: bytes) -> str:
    shelf = f"{folder}/torn"
    with contextlib.suppress(FileExistsError):
        os.mkdir(shelf, journal_folder.FOLDER_MODE)
        journal_folder.sync_folder(folder)
    journal_folder.replace_file(f"{shelf}/{name}", data)
    journal_folder.sync_folder(shelf)
    return f"torn/{name}"
