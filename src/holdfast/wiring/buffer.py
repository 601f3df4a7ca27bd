"""The working buffer on disk: `context/working-buffer.md` for people, `state/buffer.json` beside it; both come back."""

import json
import os

from holdfast.capture.buffer import Session, kept_json, noted, read_json, rendered
from holdfast.vault.write import put_file
from holdfast.wiring.app import App


def load(app: App) -> list[Session]:
    """The sessions in the buffer, oldest first; made anew from the journal where the state is gone."""
    try:
        with open(_state_path(app), encoding="utf-8") as file:
            return read_json(json.load(file))
    except (OSError, ValueError, KeyError, TypeError):
        return _from_journal(app)


def take_prompt(app: App, session: str, client: str, prompt: str, event_id: str) -> list[Session]:
    """Put what a prompt says into the buffer, durably; the sessions after it."""
    now = app.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    sessions = load(app)
    mine = of(sessions, session) or Session(id=session, client=client, since=now)
    after = noted(mine, prompt, event_id, now)
    others = [each for each in sessions if each.id != session]
    if after != of(sessions, session) or not os.path.exists(_state_path(app)):
        _save(app, [*others, after])
    return [*others, after]


def of(sessions: list[Session], session: str) -> Session | None:
    """The session with an id."""
    return next((each for each in sessions if each.id == session), None)


def _save(app: App, sessions: list[Session]) -> None:
    put_file(_state_path(app), json.dumps(kept_json(sessions), ensure_ascii=False).encode("utf-8", "replace"))
    put_file(os.path.join(app.folder, "context", "working-buffer.md"), rendered(sessions).encode("utf-8", "replace"))


def _from_journal(app: App) -> list[Session]:
    sessions: dict[str, Session] = {}
    for record in app.journal.read():
        data = record.data.get("data")
        if record.kind != "event" or record.data.get("name") != "prompt" or not isinstance(data, dict):
            continue
        name = str(record.data.get("session", ""))
        before = sessions.pop(name, None) or Session(
            id=name, client=str(record.data.get("client", "")), since=record.ts
        )
        sessions[name] = noted(before, str(data.get("prompt", "")), record.id, record.ts)
    return list(sessions.values())


def _state_path(app: App) -> str:
    return os.path.join(app.folder, "state", "buffer.json")
