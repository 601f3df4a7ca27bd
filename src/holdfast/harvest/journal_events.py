"""The events of some sessions, out of a journal that holds many: lines of others are passed over unparsed."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from holdfast.core.event import BEGINNING, RECORD_VERSION, JournalRecord
from holdfast.journal import line_format, line_scan, read_records

_SESSION = b'"session":"'
_PARENT = b'"parent":"%s"'
_EVENT = b'"kind":"event"'


def read_session_events(folder: str, sessions: Collection[str], *, deleted: bool = False) -> Iterator[JournalRecord]:
    """The events of these sessions and of their subagents' own, in the order written."""
    names = {session.encode("utf-8", "replace") for session in sessions}
    kin = [_PARENT % name for name in names]
    hidden = frozenset() if deleted else read_records.find_tombstoned(folder)
    for raw in read_lines(folder) if names else ():
        if find_session(raw) in names or any(mark in raw for mark in kin):
            record = _record(raw)
            if record is not None and record.id not in hidden:
                yield record


def read_all_events(folder: str) -> Iterator[JournalRecord]:
    """Every event, in the order written."""
    hidden = read_records.find_tombstoned(folder)
    for raw in read_lines(folder):
        record = _record(raw) if _EVENT in raw[:400] else None
        if record is not None and record.id not in hidden:
            yield record


def find_session(raw: bytes) -> bytes:
    """The session a line belongs to, without parsing it: it stands near the beginning."""
    at = raw.find(_SESSION, 0, 1024)
    return raw[at + len(_SESSION) : raw.find(b'"', at + len(_SESSION))] if at >= 0 else b""


def read_lines(folder: str) -> Iterator[bytes]:
    """The lines of a journal, as they are."""
    for number in line_scan.list_segments(folder):
        with line_scan.open_segment(folder, number) as file:
            yield from file


def _record(raw: bytes) -> JournalRecord | None:
    text = line_format.unframe(raw)
    try:
        data: Any = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("kind") != line_scan.EVENT or data.get("v") != RECORD_VERSION:
        return None
    return JournalRecord(
        id=str(data.get("id", "")),
        kind=line_scan.EVENT,
        version=RECORD_VERSION,
        ts=str(data.get("ts", "")),
        data=data,
        after=BEGINNING,
    )
