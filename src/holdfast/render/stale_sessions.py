"""Clients that run while their files change: which they are, and how each comes to read them again."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta

from holdfast.clients.client_table import CLIENTS, UnknownClient, client_of
from holdfast.clients.install.installed import read_manifest
from holdfast.clients.instruction_files import AGENTS, ANEW, CLAUDE, CLAUDE_INSIDE, list_readers
from holdfast.clients.reply import may_inject
from holdfast.core.ids import decode, is_ulid
from holdfast.core.search import SessionRow
from holdfast.core.times import parse_moment
from holdfast.records.session_log import SessionLog
from holdfast.workspace import App

# A client may stand open over lunch; a session that was quiet for longer is taken up again.
OPEN_FOR = timedelta(hours=12)
TIME_LENGTH = 10


def find_clients_in_use(app: App) -> tuple[str, ...]:
    """The clients heard in this workspace; where none was, those that are set up."""
    heard = {name for row in _sessions(app) if (name := _client(row))}
    set_up = {name for written in read_manifest(app.home).values() for name in written.clients}
    return tuple(client.id for client in CLIENTS if client.id in (heard or set_up))


def find_running_sessions(app: App) -> list[SessionRow]:
    """Sessions that have not ended, as far as their events tell."""
    now = app.clock.now()
    rows = [row for row in _sessions(app) if row.last_name != "session_end" and _client(row)]
    return [row for row in rows if (last := parse_moment(row.ts)) is not None and now - last < OPEN_FOR]


def describe_restarts(app: App, targets: Collection[str]) -> list[str]:
    """What to tell the user of clients that run and do not see what changed in some targets by themselves."""
    found: dict[str, list[SessionRow]] = {}
    reading = {client for target in targets for client in list_readers(target) if _reads_target(app, client, target)}
    for row in find_running_sessions(app):
        found.setdefault(_client(row), []).append(row)
    return [
        words
        for client in found
        if client in reading & ANEW.keys()
        for words in _describe_client(app, client, found[client])
    ]


def describe_due_restarts(app: App, changed: Mapping[str, float]) -> list[str]:
    """What to tell of sessions that began before targets changed (since 1970, in seconds) and run still."""
    if app.settings["auto_restart"]:
        return []
    due = {
        client
        for row in find_running_sessions(app)
        for target, when in changed.items()
        if (client := _client(row)) in ANEW and client in list_readers(target) and _start_time(row) < when
        and _reads_target(app, client, target)
    }  # fmt: skip
    return [
        f"{client_of(client).title} runs here and does not see the change: {ANEW[client]}." for client in sorted(due)
    ]


def _start_time(row: SessionRow) -> float:
    return decode(row.first[:TIME_LENGTH]) / 1000 if is_ulid(row.first) else 0.0


def _describe_client(app: App, client: str, rows: list[SessionRow]) -> Iterator[str]:
    title = client_of(client).title
    if app.settings["auto_restart"] and all(may_inject(row.client, "prompt") for row in rows):
        for row in rows:
            with suppress(OSError):
                SessionLog(app.folder, row.session).refresh()
        yield f"{title} runs here: it is told memory anew with your next prompt (auto_restart)."
        return
    yield f"{title} runs here and does not see the change: {ANEW[client]}."


def _reads_target(app: App, client: str, target: str) -> bool:
    """Claude Code reads AGENTS.md only where it has no file of its own."""
    if client != "claude-code" or target != AGENTS.id:
        return True
    from holdfast.render.block_files import scan_client_files

    return scan_client_files(app).there.isdisjoint({CLAUDE.id, CLAUDE_INSIDE.id})


def _client(row: SessionRow) -> str:
    try:
        return client_of(row.client).id
    except UnknownClient:
        return ""


def _sessions(app: App) -> list[SessionRow]:
    return list(app.index.sessions())
