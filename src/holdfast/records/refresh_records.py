"""The records on disk, brought up to date with the journal: by one process at a time, in slices, safe to cut short."""

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from holdfast.app import build_app
from holdfast.core.errors import HoldfastError
from holdfast.core.event import BEGINNING, JournalRecord
from holdfast.journal.capture_event import log_problem
from holdfast.journal.journal_head import note_head
from holdfast.records import record_pages as pages
from holdfast.records import todo_items
from holdfast.records.daily_file import append_line, read_day
from holdfast.records.effects import (
    AppendLine,
    AppendLog,
    ChangeTodo,
    DumpSession,
    Effect,
    PutFile,
    ReplaceTodos,
    SettlePrompt,
)
from holdfast.records.record_builder import DueSession, RecordBuilder
from holdfast.records.work_unit import OPEN
from holdfast.system.folders import open_own_file, read_own_file
from holdfast.system.leftovers import sweep_leftovers
from holdfast.system.safe_write import hold_lock, put_file, put_file_if_changed
from holdfast.system.written_sums import note_written
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.trust.visibility import find_registration, token_path
from holdfast.trust.vouchings import read_vouchings
from holdfast.workspace import App

STATE = os.path.join("state", "records.json")
# The cursor alone, for the hook to see at a glance whether there is anything to follow.
PLACE = os.path.join("state", "records.place")
TODO = os.path.join("context", "todo.md")
# A hook may not keep its client waiting: it takes what it can in this time, and the next one goes on from there.
HOOK_SECONDS = 0.8
TURN_SECONDS = 2.0
# What one file takes to put on a slow disk, and how many may wait.
PUT_SECONDS = 0.002
MOST_WAITING = 1000
# Of the journal, as many bytes as are read in a hook to judge a session.
SHORT = 1024 * 1024
MOST_JUDGED = 3
PATIENCE = 10.0
LEARNING = "learning/"
_EVENT = re.compile(r'^event: "?([0-9A-Z]{26})"?$', re.MULTILINE)


def refresh_records(app: App, *, seconds: float = 0.0) -> RecordBuilder:
    """Follow the journal to its end (or for some seconds) and write what it asks for."""
    if app.workspace and TrackedFiles(app).holds("journal/"):
        app.notices.append("The journal here is tracked by git: it is somebody else's, and no records are made of it.")
        return RecordBuilder(app.workspace)
    if not seconds:
        sweep_leftovers(app.folder)
    with _lock_records(app, seconds or PATIENCE) as alone:
        builder = load_record_builder(app)
        if alone:
            _follow(app, builder, until=time.monotonic() + seconds if seconds else None)
    return builder


def refresh_records_gently(app: App) -> None:
    """The same in the background: in turns, so that no command that shows records waits for long."""
    before = None
    while before != (reached := refresh_records(app, seconds=TURN_SECONDS).cursor):
        before = reached
    refresh_records(app)


def rewrite_records(app: App) -> None:
    """Write the records again from the events that are left. What was logged and proposed before stays as it is."""
    with _lock_records(app, PATIENCE):
        forget_state(app)
        _follow(app, _start_follower(app), but=(AppendLog,))


def refresh_from_hook(workspace: str) -> None:
    """Bring the records up to date from a hook: for a moment only, and no trouble of theirs stops what comes after."""
    app = build_app(workspace)
    try:
        refresh_records(app, seconds=HOOK_SECONDS)
    except (HoldfastError, OSError, ValueError) as error:
        log_problem(app.home, f"records: {type(error).__name__}: {error}")


def load_record_builder(app: App) -> RecordBuilder:
    """The reader as it was left; a new one where its state is gone, broken or ahead of the journal."""
    try:
        state = json.loads(read_own_file(os.path.join(app.folder, STATE)) or b"")
        return RecordBuilder.from_state(app.workspace, state, read_vouchings(app).vouched)
    except (ValueError, KeyError, TypeError, RecursionError):
        return _start_follower(app)


def _start_follower(app: App) -> RecordBuilder:
    """A reader at the journal's start. Lists that people may have edited since stand as they are, up to their time."""
    builder = RecordBuilder(app.workspace, read_vouchings(app).vouched)
    pages = [TODO, *(os.path.join("log", name) for name in _names(os.path.join(app.folder, "log")))]
    builder.kept = {page: at for page in pages if (at := _modified_stamp(os.path.join(app.folder, page)))}
    return builder


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _modified_stamp(path: str) -> str:
    try:
        return datetime.fromtimestamp(os.stat(path).st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except OSError:
        return ""


def forget_state(app: App) -> None:
    """Have the next look begin at the journal's start."""
    for name in (STATE, PLACE, *map(_state_path, ("current-work", "algorithm-state", "streaks", "trending-cache"))):
        if os.path.exists(path := os.path.join(app.folder, name)):
            os.unlink(path)


def _follow(
    app: App, builder: RecordBuilder, *, until: float | None = None, but: tuple[type[Effect], ...] = ()
) -> None:
    begun = builder.cursor
    late = False
    if begun == BEGINNING:
        # Before the first line: a reader that is killed goes on with the same knowledge of what stood there before.
        _put_json(app, STATE, builder.to_state())
    files = _FilesToPut(app)
    for record in app.journal.read(builder.cursor):
        for effect in builder.take(record):
            if not isinstance(effect, but) and not _is_listed_already(builder, effect):
                files.carry_out(effect)
        if until is not None and time.monotonic() + files.seconds() > until:
            late = True
            break
    now = app.clock.now()
    aged = [] if late else builder.grow_old(now)
    builder.kept = builder.kept if late else {}
    for effect in aged:
        files.carry_out(effect)
    files.put()
    judged = _judge(app, builder, until)
    if builder.cursor != begun or aged or judged:
        _save(app, builder, now)


class _FilesToPut:
    """Files that many events change are put once, as the last of these leaves them: before the state that knows it."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._texts: dict[str, str] = {}

    def carry_out(self, effect: Effect) -> None:
        """Do what an effect asks for; a file of its own name when all is read."""
        # A learning's name depends on those that are there.
        if not isinstance(effect, PutFile) or effect.path.startswith(LEARNING):
            _carry_out(self._app, effect)
            return
        self._texts[effect.path] = effect.text
        if len(self._texts) >= MOST_WAITING:
            self.put()

    def seconds(self) -> float:
        """How long it may take to put what waits."""
        return len(self._texts) * PUT_SECONDS

    def put(self) -> None:
        """Write what waits."""
        for path, text in self._texts.items():
            write_if_changed(self._app, path, text)
        self._texts.clear()


def _judge(app: App, builder: RecordBuilder, until: float | None) -> bool:
    """Judge the sessions that are over; in a hook only what takes a moment. The next command does the rest."""
    hooked = until is not None
    ready = [due for due in builder.due if _is_short(due)][:MOST_JUDGED] if hooked else list(builder.due)
    if not ready or (until is not None and time.monotonic() > until):
        return False
    from holdfast.records.memory_use import is_long, record_use

    if hooked and is_long(app):
        return False
    record_use(app, ready)
    builder.due = [due for due in builder.due if due not in ready]
    return True


def _is_short(due: DueSession) -> bool:
    return due.begin.segment == due.until.segment and due.until.offset - due.begin.offset <= SHORT


def _is_listed_already(builder: RecordBuilder, effect: Effect) -> bool:
    """Whether a list was written after this, and shows it as far as its people want it to."""
    if isinstance(effect, AppendLog):
        page = os.path.join("log", f"{datetime.fromisoformat(effect.at).astimezone().date().isoformat()}.md")
    elif isinstance(effect, ReplaceTodos | ChangeTodo):
        page = TODO
    else:
        return False
    return effect.at <= builder.kept.get(page, "")


def _save(app: App, builder: RecordBuilder, now: datetime) -> None:
    _restore_token(app)
    for name, data in _state_files(builder, now).items():
        _put_json(app, name, data)
    _put_json(app, STATE, builder.to_state())
    place = f"{builder.cursor.segment:08d}.jsonl {builder.cursor.offset}"
    put_file(os.path.join(app.folder, PLACE), place.encode())
    note_head(app.home, app.workspace_id, os.path.join(app.folder, "journal"))


def _restore_token(app: App) -> None:
    """What ties this folder to the registry lies in `state/` too, and comes back with it."""
    known = find_registration(app)
    if known and known.token and not os.path.exists(token_path(app)):
        put_file(token_path(app), (json.dumps({"token": known.token}) + "\n").encode())


def _state_files(builder: RecordBuilder, now: datetime) -> dict[str, Mapping[str, Any]]:
    live = {s.id: s.unit for s in builder.sessions.values() if s.unit and builder.units[s.unit].status == OPEN}
    files: dict[str, Mapping[str, Any]] = {
        _state_path("current-work"): {"session": live, "latest": builder.latest or None},
        _state_path("streaks"): builder.tallies.streaks(),
        _state_path("trending-cache"): builder.tallies.trending(now),
    }
    if builder.latest in builder.units:
        files[_state_path("algorithm-state")] = builder.phase()
    for name, goal in builder.progress.goals.items():
        plain = pages.file_name(name)
        unique = plain if plain == name else f"{plain}-{crc32(name.encode('utf-8', 'replace')):08x}"
        files[os.path.join("state", "progress", f"{unique}.json")] = goal
    return files


def _state_path(name: str) -> str:
    return os.path.join("state", f"{name}.json")


def _put_json(app: App, name: str, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False) + "\n"
    put_file_if_changed(os.path.join(app.folder, name), text.encode("utf-8", "replace"))


def _carry_out(app: App, effect: Effect) -> None:
    match effect:
        case PutFile(path=path, text=text):
            write_if_changed(app, choose_learning_path(app, path, text), text)
        case AppendLine(path=path, text=text, event=event):
            _append_once(os.path.join(app.folder, path), text, event)
        case AppendLog(at=at, text=text):
            log_once(app, at, text)
        case ReplaceTodos() | ChangeTodo():
            _write_todos(app, effect)
        case DumpSession():
            _dump(app, effect)
        case SettlePrompt(session=session, event=event):
            from holdfast.records.untyped_prompts import settle_prompts

            settle_prompts(app, session, {event})


def choose_learning_path(app: App, path: str, text: str) -> str:
    """The path for a learning. Where one of another event has that name, of the same second, this one gets a mark."""
    event = _EVENT.search(text)
    if not path.startswith(LEARNING) or event is None:
        return path
    there = _EVENT.search((read_own_file(os.path.join(app.folder, path), 4096) or b"").decode("utf-8", "replace"))
    return path if there is None or there[1] == event[1] else f"{path.removesuffix('.md')}-{event[1][-6:].lower()}.md"


def write_if_changed(app: App, path: str, text: str) -> None:
    """A file of ours, below `.holdfast`, whole; untouched where it stands so already."""
    put_file_if_changed(os.path.join(app.folder, path), text.encode("utf-8", "replace"))


def _append_once(path: str, line: str, event: str) -> None:
    data, mark = line.encode("utf-8", "replace") + b"\n", event.encode()
    fd = open_own_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    with open(fd, "rb+", buffering=0) as file:
        known = (file.read() or b"").splitlines(keepends=True)
        if data in known:
            return
        if any(mark in each for each in known):
            put_file(path, b"".join(data if mark in each else each for each in known))
            return
        # A line that a kill tore must not swallow the next.
        added = (b"\n" if known and not known[-1].endswith(b"\n") else b"") + data
        note_written(path, added, sum(map(len, known)))
        file.write(added)
        os.fsync(fd)


def log_once(app: App, at: str, text: str) -> None:
    """A line of the daily log, unless it stands there already."""
    local = datetime.fromisoformat(at).astimezone()
    day, clock = local.date().isoformat(), local.strftime("%H:%M")
    folder = os.path.join(app.folder, "log")
    if not any(line.time == clock and line.text == text for line in read_day(folder, day)):
        append_line(folder, day, clock, text)


def _write_todos(app: App, effect: ReplaceTodos | ChangeTodo) -> None:
    path = os.path.join(app.folder, TODO)
    items = read_todos(app)
    day = effect.at[:10]
    if isinstance(effect, ReplaceTodos):
        after = todo_items.merge_todos(items, effect.before, effect.now, effect.by, day)
    else:
        after = _apply_person_todo(items, effect, day)
    put_file(path, todo_items.render_todos(after).encode("utf-8", "replace"))


def _apply_person_todo(items: list[todo_items.TodoItem], effect: ChangeTodo, day: str) -> list[todo_items.TodoItem]:
    match effect.verb:
        case "added":
            known = any(item.id == todo_items.item_id(effect.text) for item in items)
            made = todo_items.TodoItem(id=todo_items.item_id(effect.text), text=effect.text, at=day, by=effect.by)
            return items if known else [*items, made]
        case "dropped":
            return [item for item in items if item.id != effect.id]
        case _:
            return todo_items.mark_todo(items, effect.id, done=effect.verb == "done", day=day)


def read_todos(app: App) -> list[todo_items.TodoItem]:
    """The items in the todo file."""
    text = (read_own_file(os.path.join(app.folder, TODO)) or b"").decode("utf-8", "replace")
    return todo_items.parse_todos(text.replace("\r\n", "\n"))


def _dump(app: App, effect: DumpSession) -> None:
    folder = os.path.join(app.folder, effect.folder)
    if os.path.exists(os.path.join(folder, "CONTEXT.md")):
        return
    records = list(_read_session(app, effect))
    lines = [json.dumps(_turn(record), ensure_ascii=False) for record in records]
    tools = [r for r in records if r.data.get("name") in {"after_tool", "tool_failed"}]
    calls = [pages.tool_call_json(record.data["data"], record.ts) for record in tools]
    texts = {
        "transcript.jsonl": "\n".join(lines) + "\n",
        "sentiment.json": json.dumps(effect.sentiment, ensure_ascii=False) + "\n",
        "tool-calls.json": json.dumps(calls, ensure_ascii=False, indent=1) + "\n",
        # Last: where it stands, the dump is whole.
        "CONTEXT.md": effect.context,
    }
    for name, text in texts.items():
        put_file(os.path.join(folder, name), text.encode("utf-8", "replace"))


def _turn(record: JournalRecord) -> dict[str, Any]:
    return {"id": record.id, "ts": record.ts, "name": record.data.get("name"), "data": record.data.get("data")}


def _read_session(app: App, effect: DumpSession) -> Iterator[JournalRecord]:
    for record in app.journal.read(effect.begin):
        if record.kind == "event" and record.data.get("session") == effect.session and "data" in record.data:
            yield record
        if record.id == effect.until:
            return


@contextmanager
def _lock_records(app: App, patience: float) -> Iterator[bool]:
    """Whether this process has the records to itself; another one's turn is awaited for a while."""
    fd = open_own_file(os.path.join(app.folder, "state", "records.lock"), os.O_RDWR | os.O_CREAT)
    try:
        yield hold_lock(fd, patience)
    finally:
        os.close(fd)
