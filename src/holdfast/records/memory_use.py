"""What came of what agents were told, on disk: use.jsonl and its counts, made from the journal."""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.core.event import JournalRecord
from holdfast.records.judge_use import USED, SessionUse, from_line, judge_use, to_line
from holdfast.records.record_builder import DueSession, RecordBuilder
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

USE = os.path.join("learning", "signals", "use.jsonl")
COUNTS = os.path.join("state", "use.json")
LARGEST = 256 * 1024 * 1024
LONG = 1024 * 1024


def is_long(app: App) -> bool:
    """Whether the file is too long to be rewritten while a client waits."""
    try:
        return os.stat(os.path.join(app.folder, USE)).st_size > LONG
    except OSError:
        return False


def record_use(app: App, sessions: Sequence[DueSession]) -> None:
    """Judge sessions that are over, and put their lines in their places."""
    found = (judge_use(due.session, _records(app, due), app.workspace) for due in sessions)
    _write(app, {used.event: used for used in filter(None, found)})


def read_use(app: App) -> tuple[list[SessionUse], int]:
    """The sessions that were told something, oldest first, and how many lines could not be read."""
    lines = _lines(app)
    found = [used for used in map(_parse_line, lines) if used is not None]
    return found, len(lines) - len(found)


def rebuild_use(app: App) -> None:
    """Judge every session again where the file is gone: the journal still knows."""
    if os.path.lexists(os.path.join(app.folder, USE)):
        return
    builder = RecordBuilder(app.workspace)
    for record in app.journal.read():
        builder.take(record)
    builder.grow_old(app.clock.now())
    # Also of none: the next look need not go through the journal again.
    put_file(os.path.join(app.folder, USE), b"")
    record_use(app, builder.due)


def read_use_counts(app: App) -> Mapping[str, tuple[int, int]]:
    """By id, in how many sessions a memory was told and in how many it was used. Read from a small derived file."""
    path = os.path.join(app.folder, COUNTS)
    if not os.path.exists(path) and os.path.exists(os.path.join(app.folder, USE)):
        _keep_counts(app, read_use(app)[0])
    known = read_json_cache(path)
    return {
        name: (pair[0], pair[1])
        for name, pair in known.items()
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(each, int) for each in pair)
    }


def _write(app: App, judged_now: Mapping[str, SessionUse]) -> None:
    """All lines, in the order of their first telling: the same whenever each session was judged."""
    before = {used.event: used for used in read_use(app)[0]}
    after = {**before, **judged_now}
    if after != before:
        ordered = [after[event] for event in sorted(after)]
        text = "".join(json.dumps(to_line(used), ensure_ascii=False) + "\n" for used in ordered)
        put_file(os.path.join(app.folder, USE), text.encode("utf-8", "replace"))
    _keep_counts(app, after.values())


def _keep_counts(app: App, sessions: Iterable[SessionUse]) -> None:
    told: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for used in sessions:
        for memory in used.memories:
            told[memory.id][0] += 1
            told[memory.id][1] += memory.verdict == USED
    write_json_cache(os.path.join(app.folder, COUNTS), dict(told))


def _records(app: App, due: DueSession) -> Iterator[JournalRecord]:
    for record in app.journal.read(due.begin):
        if due.until < record.after:
            return
        yield record


def _lines(app: App) -> list[str]:
    try:
        fd = os.open(os.path.join(app.folder, USE), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    with open(fd, "rb") as file:
        return [line for line in file.read(LARGEST).decode("utf-8", "replace").split("\n") if line.strip()]


def _parse_line(line: str) -> SessionUse | None:
    try:
        return from_line(json.loads(line))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
