"""Harvest: clients' own transcripts → the journals of the workspaces in which their sessions ran."""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from typing import Any

import apsw

from holdfast.clients.client_table import CLIENTS
from holdfast.clients.client_traces import make_project_slug
from holdfast.clients.install.install_plan import find_client_places
from holdfast.core.errors import Conflict, Unavailable
from holdfast.core.home import read_environment
from holdfast.core.value import Value
from holdfast.harvest import find_transcripts, opencode_database
from holdfast.harvest.assemble_events import EventAssembler, HarvestedEvent, TranscriptSource
from holdfast.harvest.find_transcripts import FoundTranscript
from holdfast.harvest.hook_events import SessionHookEvents, load_hook_events, parse_seconds
from holdfast.harvest.purged_captures import is_purged, read_purged
from holdfast.harvest.read_chunk import ChunkTask, TranscriptChunk, begin_worker, read_chunk
from holdfast.harvest.read_cursors import TranscriptCursors
from holdfast.harvest.transcript_lines import open_file
from holdfast.harvest.transcript_pieces import Redactor
from holdfast.journal import append_records
from holdfast.journal.capture_event import TOOL_LIMITS
from holdfast.journal.key_filter import Sieve
from holdfast.redact import bulk_gate
from holdfast.system.lock import try_lock
from holdfast.workspace import App

HARVESTED = ("claude-code", "codex", "opencode", "gemini")
CHUNK = 4 * 1024 * 1024
# Less than this is read faster here than other processes start.
ALONE = 8 * 1024 * 1024
COMMIT_EVENTS = 2000
COMMIT_BYTES = 4 * 1024 * 1024
SAVE_SECONDS = 2.0
SHOWN = 100
# Under this name the cursors keep when sessions were last looked for that no hook told of.
MISSED = "missed"
# So far before that time files are looked at again: what waited in them is over.
LOOKS_BACK = 2 * 3600

Progress = Callable[[str, int, int], None]


class HarvestRunning(Conflict):
    """Another harvest of this workspace."""

    def __init__(self, workspace: str) -> None:
        super().__init__(f"A harvest of {workspace!r} is running already.", "wait for it to end, then run this again.")


class WorkerLost(Unavailable):
    """A process that read for us is gone."""

    def __init__(self) -> None:
        super().__init__(
            "A process that read transcripts was killed.",
            "nothing is lost: run `holdfast harvest` again; with --workers 1 it needs less memory.",
        )


class HarvestRequest(Value):
    """What to harvest. `folders` maps each folder to the workspace whose journal takes its sessions, or to nothing.

    `only_missed`: sessions that no hook told of, if they wrote since these were last looked for.
    """

    folders: Mapping[str, str]
    clients: tuple[str, ...] = HARVESTED
    since: float = 0.0
    recent: int = 0
    dry_run: bool = False
    workers: int = 0
    only_missed: bool = False


class BrokenLine(Value):
    """A line of a transcript that could not be used."""

    path: str
    line: int
    why: str


class SessionRead(Value):
    """A session that was read, and how many events of it are new."""

    workspace: str
    client: str
    session: str
    path: str
    fresh: int = 0
    waits: bool = False


class HarvestResult(Value):
    """What a harvest did. `files` are those asked for: `read` now, `unchanged` since they were read, or unread.

    `left_out` were not asked for (--since, --recent); `purged` events stay away; `redacted` counts all that was read;
    `refreshed`: whether records and index have the new events already.
    """

    files: int = 0
    read: int = 0
    unchanged: int = 0
    left_out: int = 0
    bytes: int = 0
    lines: int = 0
    fresh: int = 0
    known: int = 0
    purged: int = 0
    damaged: int = 0
    seconds: float = 0.0
    redacted: Mapping[str, int] = {}
    refreshed: bool = True
    names: Mapping[str, int] = {}
    sessions: tuple[SessionRead, ...] = ()
    broken: tuple[BrokenLine, ...] = ()
    unread: tuple[BrokenLine, ...] = ()


def harvest(app: App, wanted: HarvestRequest, progress: Progress | None = None) -> HarvestResult:
    """Read what is new in the transcripts asked for. What was read before a failure stays, and is not read again."""
    with ExitStack() as stack:
        workspaces = tuple(dict.fromkeys(filter(None, wanted.folders.values())))
        locks = [stack.enter_context(_lock_harvest(each)) for each in workspaces] if not wanted.dry_run else []
        run = _Run(wanted, {each: _Place(each, app) for each in workspaces}, progress)
        run.locks = tuple(locks)
        stack.callback(run.save)
        found = find_sessions(app, wanted)
        chosen = _sort_by_start(found, wanted)
        run.go(chosen, left_out=len(found) - len(chosen))
    return run.result()


# Which files


def find_sessions(app: App, wanted: HarvestRequest) -> list[FoundTranscript]:
    """The transcripts asked for, and those that cannot be read; their beginnings and ends are looked at."""
    inside = _make_workspace_lookup(wanted.folders)
    env = read_environment()
    rows: list[FoundTranscript] = []
    for client in (client for client in CLIENTS if client.id in wanted.clients):
        folder = find_client_places(client, app.home, "", env)["client"]
        match client.id:
            case "claude-code":
                rows += find_transcripts.find_claude(
                    folder, {make_project_slug(each): each for each, taken in wanted.folders.items() if taken}, inside
                )
            case "codex":
                rows += find_transcripts.find_codex(folder, inside)
            case "gemini":
                rows += find_transcripts.find_gemini(
                    folder, inside, tuple(each for each, taken in wanted.folders.items() if taken)
                )
            case "opencode":
                rows += _opencode_sessions(env, inside)
    return rows


def _make_workspace_lookup(folders: Mapping[str, str]) -> Callable[[str], str]:
    """Which workspace takes what ran in a folder: the one of the nearest folder around it."""
    nearest = sorted(folders, key=len, reverse=True)
    seen: dict[str, str] = {}

    def workspace(cwd: str) -> str:
        if cwd not in seen:
            real = os.path.realpath(cwd)
            around = (each for each in nearest if real == each or real.startswith(each.rstrip(os.sep) + os.sep))
            seen[cwd] = folders.get(next(around, ""), "")
        return seen[cwd]

    return workspace


def _opencode_sessions(env: Mapping[str, str], inside: Callable[[str], str]) -> Iterator[FoundTranscript]:
    for path in opencode_database.find_databases(opencode_database.find_opencode_folder(env)):
        try:
            with _database(path) as database:
                sessions = database.sessions()
        except apsw.Error as error:
            yield find_transcripts.unread_transcript("opencode", path, f"it cannot be read: {error}")
            continue
        for row in sessions:
            workspace = inside(row.directory) if row.directory else ""
            if workspace:
                changed, since = row.changed / 1000, opencode_database.iso_time(row.since)
                yield FoundTranscript(
                    "opencode", path, row.id, workspace, row.directory, 0, changed, row.changed, since,
                    opencode_database.iso_time(row.changed), "", row.agent if row.parent else "", row.parent,
                )  # fmt: skip


@contextmanager
def _database(path: str) -> Iterator[opencode_database.OpenCodeDatabase]:
    database = opencode_database.OpenCodeDatabase(path)
    try:
        yield database
    finally:
        database.close()


def _sort_by_start(rows: Sequence[FoundTranscript], wanted: HarvestRequest) -> list[FoundTranscript]:
    """The files by the time at which their sessions began; of these the newest, if only some are asked for."""
    kept = [row for row in rows if row.changed >= wanted.since or (not row.session and not row.workspace)]
    if wanted.recent:
        newest: dict[str, float] = {}
        for row in kept:
            newest[row.session] = max(row.changed, newest.get(row.session, 0.0))
        chosen = set(sorted(newest, key=lambda session: newest[session], reverse=True)[: wanted.recent])
        kept = [row for row in kept if row.session in chosen or not row.workspace]
    return sorted(kept, key=lambda row: (row.since or "9", row.path, row.agent))


# Reading


class _Place:
    """A workspace that takes events: its journal, its cursors."""

    def __init__(self, workspace: str, app: App) -> None:
        self.workspace = workspace
        self.app = app if app.workspace == workspace else app.open_other(workspace)
        self.folder = self.app.folder
        self.journal = os.path.join(self.folder, "journal")
        self.cursors = TranscriptCursors(os.path.join(self.folder, "state", "harvest.json"))
        self.sieve = Sieve(self.journal)
        self.segment_bytes = max(1, int(self.app.settings["journal.segment_mb"])) * 1024 * 1024
        self.heard: dict[str, SessionHookEvents] = {}
        self.waiting: list[HarvestedEvent] = []
        self.size = 0
        # What is to be said of files once their events are on disk.
        self.then: list[Callable[[], None]] = []
        self._purged: frozenset[str] | None = None

    def read_purged(self) -> frozenset[str]:
        """The marks of what was purged here, read when events wait for the first time."""
        if self._purged is None:
            self._purged = read_purged(self.folder)
        return self._purged


class _Reading:
    """A file on its way: its weaver, and how far it is."""

    def __init__(self, found: FoundTranscript, place: _Place, state: Mapping[str, Any], now: float) -> None:
        source = TranscriptSource(
            client=found.client,
            session=found.session,
            path=found.path,
            cwd=found.cwd,
            agent=found.agent,
            agent_type=found.agent_type,
            parent=found.parent,
        )
        heard = place.heard.setdefault(found.session, SessionHookEvents())
        heard.reach = (parse_seconds(found.since), parse_seconds(found.until))
        self.found = found
        self.place = place
        self.weaver = EventAssembler(source, heard, state, now)
        self.lines = place.cursors.lines(found.path) if state else 0
        self.before = self.weaver.offset
        self.fresh = 0


class _Run:
    """One harvest."""

    def __init__(self, wanted: HarvestRequest, places: Mapping[str, _Place], progress: Progress | None) -> None:
        self._wanted = wanted
        self._places = places
        self._progress = progress
        self._limits = tuple(TOOL_LIMITS)
        self._begun = time.monotonic()
        self._saved = self._begun
        self._done = self._total = self._files = self._read = self._lines = self._known = self._damaged = 0
        self._purged = self._left_out = self._unchanged = 0
        self._names: dict[str, int] = {}
        self._redacted: dict[str, int] = {}
        self._sessions: dict[tuple[str, str, str], SessionRead] = {}
        self._broken: list[BrokenLine] = []
        self._unread: list[BrokenLine] = []
        self._pool: ProcessPoolExecutor | None = None
        self.locks: tuple[int, ...] = ()

    def go(self, rows: list[FoundTranscript], *, left_out: int = 0) -> None:
        """Read all of them, in this order."""
        self._left_out = left_out
        todo = [row for row in rows if self._is_new(row)]
        self._unchanged = sum(bool(row.workspace) for row in rows) - len(todo)
        self._files = sum(bool(row.workspace) for row in rows)
        self._total = sum(self._size_left(row) for row in todo)
        for place in self._places.values():
            sessions = {row.session for row in todo if row.workspace == place.workspace}
            place.heard = load_hook_events(place.journal, sessions) if sessions and os.path.isdir(place.journal) else {}
        if self._wanted.only_missed:
            todo = [row for row in todo if row.session not in self._places[row.workspace].heard]
            self._then_note_look()
        workers = self._wanted.workers or (os.cpu_count() or 1)
        if workers > 1 and self._total > ALONE:
            with self._started(workers):
                self._read_all(todo, workers)
        else:
            self._read_all(todo, 1)

    @contextmanager
    def _started(self, workers: int) -> Iterator[None]:
        forked = sys.platform == "linux"
        context = get_context("fork" if forked else "spawn")
        known = (os.getpid(), self.locks if forked else ())
        self._pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin_worker, initargs=known)
        try:
            yield
        except BrokenProcessPool as error:
            raise WorkerLost from error
        finally:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _then_note_look(self) -> None:
        """Note, once all is on disk, when missed sessions were looked for."""
        for place in self._places.values():
            place.then.append(partial(place.cursors.keep_stamp, MISSED, int(time.time())))

    def _is_new(self, row: FoundTranscript) -> bool:
        if not row.workspace:
            self._unread.append(BrokenLine(path=row.path, line=0, why=row.agent_type))
            return False
        cursors = self._places[row.workspace].cursors
        if self._wanted.only_missed and row.changed < cursors.stamp(MISSED) - LOOKS_BACK:
            return False
        if row.client == "opencode":
            return cursors.stamp(_name(row)) < row.inode
        return not cursors.is_read(row.path, row.size, row.inode, row.changed)

    def _size_left(self, row: FoundTranscript) -> int:
        return max(0, row.size - self._places[row.workspace].cursors.offset(row.path))

    def _read_all(self, todo: list[FoundTranscript], workers: int) -> None:
        """Chunks are read ahead by all workers, and woven in the order of the files."""
        ahead: deque[tuple[_Reading, ChunkTask, Future[TranscriptChunk] | None, bool]] = deque()
        tasks = self._tasks(todo)
        more = True
        while more or ahead:
            while more and len(ahead) < 2 * workers + 1:
                following = next(tasks, None)
                if following is None:
                    more = False
                    break
                reading, task, last = following
                future = self._pool.submit(read_chunk, task) if self._pool else None
                ahead.append((reading, task, future, last))
                if self._pool is None:
                    break
            if ahead:
                self._weave(*ahead.popleft())
        self._commit_all()

    def _tasks(self, todo: list[FoundTranscript]) -> Iterator[tuple[_Reading, ChunkTask, bool]]:
        for row in todo:
            place = self._places[row.workspace]
            if row.client == "opencode":
                self._read_opencode(row, place)
                continue
            state = self._state_of(row, place)
            if state is None:
                continue
            reading = _Reading(row, place, state, time.time())
            size = os.path.getsize(row.path)
            starts = list(range(reading.before, size, CHUNK)) or [reading.before]
            whole = row.path.endswith(".json")
            for start in starts[:1] if whole else starts:
                end = size if whole else min(size, start + CHUNK)
                task = ChunkTask(
                    row.client,
                    row.path,
                    start,
                    end,
                    reading.before,
                    row.session,
                    row.agent,
                    reading.weaver.private,
                    self._limits,
                )
                yield reading, task, end >= size

    def _state_of(self, row: FoundTranscript, place: _Place) -> Mapping[str, Any] | None:
        try:
            with open_file(row.path) as file:
                return {} if row.path.endswith(".json") else place.cursors.state(row.path, file)
        except OSError as error:
            self._unread.append(BrokenLine(path=row.path, line=0, why=error.strerror or str(error)))
            return None

    def _weave(self, reading: _Reading, task: ChunkTask, future: Future[TranscriptChunk] | None, last: bool) -> None:
        chunk = future.result() if future else read_chunk(task._replace(private=reading.weaver.private))
        if future and task.private != reading.weaver.private and task.start != task.first:
            # Private text began before this range: what was read without knowing that is read again.
            chunk = read_chunk(task._replace(private=reading.weaver.private))
        weaver, place = reading.weaver, reading.place
        entries = weaver.take(chunk.pieces)
        if not weaver.waits:
            weaver.offset = max(weaver.offset, chunk.after)
        if last:
            entries += weaver.finish(time.time() - reading.found.changed)
        self._note(reading, chunk)
        self._put(reading, place, entries)
        if last:
            self._end(reading)
        elif place.size >= COMMIT_BYTES or len(place.waiting) >= COMMIT_EVENTS:
            place.then.append(self._keeping(reading, reading.lines))
            self._commit(place)
        self._show(task.end - task.start)

    def _note(self, reading: _Reading, chunk: TranscriptChunk) -> None:
        for line, why in chunk.broken:
            if len(self._broken) < SHOWN:
                self._broken.append(BrokenLine(path=reading.found.path, line=reading.lines + line, why=why))
        if chunk.problem:
            self._unread.append(BrokenLine(path=reading.found.path, line=0, why=chunk.problem))
        for kind, count in chunk.redacted.items():
            self._redacted[kind] = self._redacted.get(kind, 0) + count
        self._damaged += chunk.damaged
        self._lines += chunk.lines
        reading.lines += chunk.lines

    def _put(self, reading: _Reading, place: _Place, entries: list[HarvestedEvent]) -> None:
        reading.fresh += len(entries)
        place.waiting += entries
        place.size += sum(len(entry.body) for entry in entries)

    def _end(self, reading: _Reading) -> None:
        """A file is through: its cursor moves once its events are on disk."""
        self._read += 1
        self._known += reading.weaver.known
        found, place = reading.found, reading.place
        self._sessions.setdefault(
            (place.workspace, found.client, found.session),
            SessionRead(workspace=place.workspace, client=found.client, session=found.session, path=found.path),
        )
        place.then.append(self._keeping(reading, reading.lines))
        if place.size >= COMMIT_BYTES or len(place.waiting) >= COMMIT_EVENTS:
            self._commit(place)

    def _keeping(self, reading: _Reading, lines: int) -> Callable[[], None]:
        state, found, cursors = dict(reading.weaver.state()), reading.found, reading.place.cursors
        beyond = reading.weaver.offset - int(state["offset"])

        def keep() -> None:
            with suppress(OSError), open_file(found.path) as file:
                file.seek(int(state["offset"]))
                again = file.read(beyond).count(b"\n") if beyond else 0
                cursors.keep(found.path, file, state, lines - again, os.fstat(file.fileno()))

        return keep

    def _read_opencode(self, row: FoundTranscript, place: _Place) -> None:
        redactor = Redactor(dict(self._limits), bulk_gate.bulk_suspects())
        reader = opencode_database.OpenCodeReader(redactor, row.session)
        reading = _Reading(row, place, {}, time.time())
        quiet = time.time() - row.changed
        stamp = row.inode
        try:
            with _database(row.path) as database:
                for message in database.messages(row.session):
                    if reader.is_open(message[2]) and quiet < 3600:
                        stamp = 0
                        break
                    self._put(reading, place, reading.weaver.take(reader.read(*message)))
        except apsw.Error as error:
            self._unread.append(BrokenLine(path=row.path, line=0, why=str(error)))
            return
        for name in reader.broken[: max(0, SHOWN - len(self._broken))]:
            self._broken.append(BrokenLine(path=f"{row.path}#{name}", line=0, why="it is no JSON"))
        self._damaged += len(reader.broken)
        for kind, count in redactor.found.items():
            self._redacted[kind] = self._redacted.get(kind, 0) + count
        self._put(reading, place, reading.weaver.finish(quiet))
        self._read += 1
        self._known += reading.weaver.known
        key = (place.workspace, row.client, row.session)
        self._sessions.setdefault(
            key, SessionRead(workspace=key[0], client=key[1], session=key[2], path=row.path, waits=not stamp)
        )
        if stamp and not reading.weaver.waits:
            place.then.append(lambda: place.cursors.keep_stamp(_name(row), stamp))
        self._commit(place)

    # Writing

    def _commit_all(self) -> None:
        for place in self._places.values():
            self._commit(place)

    def _commit(self, place: _Place) -> None:
        """Put events on disk, by their own times; then their files are known to be read so far."""
        purged = place.read_purged()
        kept = [entry for entry in place.waiting if not is_purged(entry.key, entry.body, purged)]
        self._purged += len(place.waiting) - len(kept)
        entries = sorted(kept, key=lambda entry: entry.ts)
        place.waiting, place.size = [], 0
        then, place.then = place.then, []
        if self._wanted.dry_run:
            self._count(entries, [True] * len(entries))
            return
        for at in range(0, len(entries), COMMIT_EVENTS):
            some = entries[at : at + COMMIT_EVENTS]
            given = [(entry.key, entry.ts, entry.body) for entry in some]
            os.makedirs(place.folder, mode=0o700, exist_ok=True)
            told = append_records.append(place.journal, given, segment_bytes=place.segment_bytes, sieve=place.sieve)
            self._count(some, [fresh for _, fresh in told])
        for each in then:
            each()
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def _count(self, entries: Sequence[HarvestedEvent], fresh: Sequence[bool]) -> None:
        for entry, new in zip(entries, fresh, strict=True):
            if new:
                self._names[entry.name] = self._names.get(entry.name, 0) + 1
            else:
                self._known += 1

    def save(self) -> None:
        """Keep the cursors of what is on disk."""
        self._saved = time.monotonic()
        if not self._wanted.dry_run:
            for place in self._places.values():
                place.cursors.save()

    def _show(self, size: int) -> None:
        self._done += size
        if self._progress:
            self._progress("harvest", self._done, max(self._total, self._done))

    def result(self) -> HarvestResult:
        """What was done."""
        return HarvestResult(
            files=self._files,
            read=self._read,
            unchanged=self._unchanged,
            left_out=self._left_out,
            bytes=self._done,
            lines=self._lines,
            fresh=sum(self._names.values()),
            known=self._known,
            purged=self._purged,
            damaged=self._damaged,
            seconds=time.monotonic() - self._begun,
            redacted=dict(sorted(self._redacted.items())),
            names=dict(sorted(self._names.items())),
            sessions=tuple(self._sessions.values()),
            broken=tuple(self._broken),
            unread=tuple(self._unread),
        )


def _name(row: FoundTranscript) -> str:
    return f"{row.path}#{row.session}"


@contextmanager
def _lock_harvest(workspace: str) -> Iterator[int]:
    """One harvest of a workspace at a time; the lock. Raises Running."""
    folder = os.path.join(workspace, ".holdfast", "state")
    with try_lock(os.path.join(folder, "harvest.lock")) as lock:
        if lock < 0:
            raise HarvestRunning(workspace)
        yield lock
