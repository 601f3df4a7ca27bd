"""The working buffer on disk: `context/working-buffer.md` for people, `state/buffer.json` beside it; both come back."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.clients.payload import AMID_CALL
from holdfast.core.event import Event
from holdfast.records.working_buffer import (
    BufferedSession,
    BufferNote,
    drop_quotes,
    from_json,
    note_prompt,
    render_buffer,
    to_json,
)
from holdfast.system.safe_write import LockHeld, hold_lock
from holdfast.trust.standing import normalise_words
from holdfast.workspace import App

OURS = "holdfast"
# Another session's prompt is noted in some milliseconds; in a hook less is left of the time for all locks.
PATIENCE = 1.0
DROPPED = "buffer.dropped"


def load(app: App) -> list[BufferedSession]:
    """The sessions in the buffer, oldest first; rebuilt from the journal where the state is gone."""
    try:
        with open(_state_path(app), encoding="utf-8") as file:
            return from_json(json.load(file))
    except (OSError, ValueError, KeyError, TypeError):
        return _rebuild_from_journal(app)


def add_prompt(  # an event's own words
    app: App, session: str, client: str, prompt: str, event_id: str, *, doubted: bool = False
) -> list[BufferedSession]:
    """Put what a prompt says into the buffer, durably; the sessions after it. `doubted`: as a note is."""
    from holdfast.phrases.triggers import find_triggers

    now = app.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    with _lock_buffer(app) as alone:
        # An event without an id waits for the journal itself, and so may those that went past.
        missed = _missed_at(app) if event_id else 0
        sessions = _rebuild_from_journal(app) if alone and missed else load(app)
        mine = find_session(sessions, session) or BufferedSession(id=session, client=client, since=now)
        after = note_prompt(mine, prompt, event_id, now, find_triggers, doubted=doubted)
        others = [each for each in sessions if each.id != session]
        if not alone:
            _note_missed(app)
        elif missed or after != find_session(sessions, session) or not os.path.exists(_state_path(app)):
            _save(app, [*others, after])
            _forget_missed(app, missed)
    return [*others, after]


def drop_buffer_notes(app: App, words: str) -> list[str]:
    """Take the notes that hold some words out of the buffer, for good; the quotes that went."""
    with _lock_buffer(app) as alone:
        if not alone:
            raise LockHeld(app.folder, PATIENCE)
        sessions = load(app)
        meant = normalise_words(words)
        quotes = list(
            dict.fromkeys(n.quote for s in sessions for n in s.notes if meant and meant in normalise_words(n.quote))
        )
        if quotes:
            app.journal.append([Event(client=OURS, name=DROPPED, data={"quotes": quotes})])
            _save(app, drop_quotes(sessions, quotes))
    return quotes


def find_notes(app: App, words: str) -> list[BufferNote]:
    """The notes that hold some words, each once."""
    meant = normalise_words(words)
    found = [note for session in load(app) for note in session.notes if meant and meant in normalise_words(note.quote)]
    return list({note.quote: note for note in found}.values())


def find_session(sessions: list[BufferedSession], session: str) -> BufferedSession | None:
    """The session with an id."""
    return next((each for each in sessions if each.id == session), None)


@contextmanager
def _lock_buffer(app: App) -> Iterator[bool]:
    """Two sessions may speak at once, and neither's words may be lost. Whether this one's turn came in time."""
    os.makedirs(os.path.dirname(_state_path(app)), mode=0o700, exist_ok=True)
    lock = os.open(_state_path(app) + ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        yield hold_lock(lock, PATIENCE)
    finally:
        os.close(lock)


def _missed_at(app: App) -> int:
    """When a prompt last went past the buffer because its lock was held; 0 where none did since it was rebuilt."""
    try:
        return os.lstat(_missed_path(app)).st_mtime_ns
    except OSError:
        return 0


def _note_missed(app: App) -> None:
    """The journal has the words, and whoever has the buffer next takes them from there."""
    fd = os.open(_missed_path(app), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        os.utime(fd)
    finally:
        os.close(fd)


def _forget_missed(app: App, seen: int) -> None:
    """Unless another prompt went past meanwhile."""
    if seen and _missed_at(app) == seen:
        os.unlink(_missed_path(app))


def _missed_path(app: App) -> str:
    return _state_path(app) + ".missed"


def _save(app: App, sessions: list[BufferedSession]) -> None:
    from holdfast.system.safe_write import put_file

    put_file(_state_path(app), json.dumps(to_json(sessions), ensure_ascii=False).encode("utf-8", "replace"))
    put_file(
        os.path.join(app.folder, "context", "working-buffer.md"), render_buffer(sessions).encode("utf-8", "replace")
    )


def _rebuild_from_journal(app: App) -> list[BufferedSession]:
    from holdfast.phrases.triggers import find_triggers

    sessions: dict[str, BufferedSession] = {}
    for record in app.journal.read():
        data = record.data.get("data")
        if record.data.get("client") == OURS and record.data.get("name") == DROPPED and isinstance(data, dict):
            sessions = {each.id: each for each in drop_quotes(sessions.values(), data.get("quotes", ()))}
            continue
        if record.kind != "event" or record.data.get("name") != "prompt" or not isinstance(data, dict):
            continue
        if data.get("harvested") is True:
            # No hook heard it: it never stood in the buffer.
            continue
        name = str(record.data.get("session", ""))
        before = sessions.pop(name, None) or BufferedSession(
            id=name, client=str(record.data.get("client", "")), since=record.ts
        )
        doubted = AMID_CALL in data
        words = str(data.get("prompt", ""))
        sessions[name] = note_prompt(before, words, record.id, record.ts, find_triggers, doubted=doubted)
    return list(sessions.values())


def _state_path(app: App) -> str:
    return os.path.join(app.folder, "state", "buffer.json")
