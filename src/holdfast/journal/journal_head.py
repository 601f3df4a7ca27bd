"""How far a journal went, kept in the user's home: whoever takes its end away, or all of it, does not take this too.

Written by commands and when records follow the journal, never for an event; so it may lag behind, and never leads.
"""

import json
import os
from collections.abc import Iterator

from holdfast.core.value import Value, as_dict
from holdfast.journal import event_keys, journal_folder, line_format, line_scan
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file


class JournalHead(Value):
    """The last record when we looked: its segment, id and checksum, where it began, and the lines of its segment."""

    segment: int
    lines: int
    begin: int
    id: str
    crc: str


def head_path(home: str, workspace_id: str) -> str:
    """Where the head of a workspace's journal is kept."""
    return os.path.join(home, "workspaces", f"{workspace_id}.head")


def note_head(home: str, workspace_id: str, folder: str, *, anew: bool = False) -> None:
    """Keep how far a journal goes now, unless it does not hold what it held before: that is for `verify` to say.

    `anew`: whatever it held, for the user said that it is right so.
    """
    if not workspace_id or not os.path.isdir(os.path.dirname(head_path(home, workspace_id))):
        return
    now, before = read_end(folder), read_head(home, workspace_id)
    if now == before or (before and not anew and _find_lack(folder, before)):
        return
    if now:
        put_file(head_path(home, workspace_id), json.dumps(as_dict(now)).encode())
    elif anew and before:
        os.unlink(head_path(home, workspace_id))


def read_head(home: str, workspace_id: str) -> JournalHead | None:
    """What was kept; None where nothing was."""
    found = read_json_cache(head_path(home, workspace_id))
    try:
        return JournalHead(
            segment=int(found["segment"]), lines=int(found["lines"]), begin=int(found["begin"]),
            id=str(found["id"]), crc=str(found["crc"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return None


def read_end(folder: str) -> JournalHead | None:
    """The last record of a journal, by its keys; None where they lag, or there is none."""
    try:
        number = max(journal_folder.numbers(folder), default=0)
        if not number:
            return None
        with (
            open(journal_folder.open_file(journal_folder.segment_path(folder, number), os.O_RDONLY), "rb") as segment,
            open(journal_folder.open_file(journal_folder.keys_path(folder, number), os.O_RDONLY), "rb") as keys,
        ):
            entries = event_keys.read_active(keys.fileno())
            *_, (begin, _) = event_keys.spans_of(entries)
            line = line_format.line_at(segment.fileno(), begin)
    except (OSError, ValueError, event_keys.KeysDamaged):
        return None
    if line is None:
        return None
    lines = len(entries) // event_keys.ENTRY
    crc = line_format.crc_in(line).decode()
    return JournalHead(segment=number, lines=lines, begin=begin, id=line_format.id_in(line), crc=crc)


def find_missing_end(home: str, workspace_id: str, folder: str) -> Iterator[tuple[str, str]]:
    """What a journal lacks of what it once held, as the file's name and the reason."""
    head = read_head(home, workspace_id) if workspace_id else None
    if head and (reason := _find_lack(folder, head)):
        yield journal_folder.segment_name(head.segment), reason


def _find_lack(folder: str, head: JournalHead) -> str:
    """Why the record that was the last is not there. Compaction names what it takes, so its id stands somewhere."""
    numbers = line_scan.list_segments(folder)
    if not numbers:
        return f"the whole journal is gone: it held {head.segment} segments, up to record {head.id}"
    if head.segment in numbers and _stands_at(folder, head):
        return ""
    if any(_mentions(folder, number, head) for number in reversed(numbers)):
        return ""
    return f"records are missing at its end: it went on to record {head.id}, line {head.lines} of this file"


def _stands_at(folder: str, head: JournalHead) -> bool:
    try:
        fd = journal_folder.open_file(journal_folder.segment_path(folder, head.segment), os.O_RDONLY)
    except OSError:
        return False
    try:
        line = line_format.line_at(fd, head.begin)
    finally:
        os.close(fd)
    return line is not None and (line_format.id_in(line), line_format.crc_in(line).decode()) == (head.id, head.crc)


def _mentions(folder: str, number: int, head: JournalHead) -> bool:
    """Whether a segment has the record, elsewhere since a compaction, or says that a compaction took it."""
    mark = f'"{head.id}"'.encode()
    try:
        with line_scan.open_segment(folder, number) as file:
            lines = (line for line in line_scan.scan_lines(file) if line.data is not None and mark in line.raw)
            return any(_accounts_for(line, head) for line in lines)
    except line_scan.JournalUnreadable:
        return False


def _accounts_for(line: line_scan.JournalLine, head: JournalHead) -> bool:
    if line.id == head.id:
        return line_format.crc_in(line.raw).decode() == head.crc
    return line.kind == line_scan.COMPACTION
