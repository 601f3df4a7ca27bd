"""What was heard of clients, what their own files show besides, and what went wrong in the hook."""

import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime

import apsw

from holdfast.clients.client_spec import Client
from holdfast.clients.client_traces import TRACED, find_last_use
from holdfast.clients.install.install_plan import find_client_places
from holdfast.clients.install.installed import manifest_path
from holdfast.core.home import read_environment
from holdfast.core.value import Value
from holdfast.trust.allow import find_registration
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

# Clients write their own files some time after the last event we see of them.
MARGIN = 10 * 60
TAIL = 64 * 1024
OPENCODE = "opencode"
_NEWEST = """
SELECT max(time_updated) FROM session
WHERE directory = :folder OR substr(directory, 1, length(:folder) + 1) = :folder || '/'
"""


class HookFailures(Value):
    """The hook's own trouble: how often today, in which clients, and the last of it (its time first)."""

    today: int = 0
    last: str = ""
    clients: tuple[str, ...] = ()

    def of(self, client: str) -> int:
        """How often today in one client."""
        return self.clients.count(client)


NO_FAILURES = HookFailures()


def read_hook_failures(app: App) -> HookFailures:
    """Read the end of the hook's log."""
    try:
        with open(os.path.join(app.home, "logs", "hook.log"), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            lines = file.read(TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return HookFailures()
    day = app.clock.now().date().isoformat()
    today = [line for line in lines if line.startswith(day)]
    named = tuple(line.split(" ", 2)[1].removesuffix(":") for line in today if line.count(" ") > 1)
    return HookFailures(today=len(today), last=lines[-1] if lines else "", clients=named)


def is_traceable(client: Client) -> bool:
    """Whether a client's own files tell where it was used."""
    return client.id in TRACED or client.id == OPENCODE


def find_silent_use(app: App, client: Client, unheard_since: str) -> str:
    """When a client was used in this workspace although nothing of it came; empty when nothing shows that."""
    if not app.workspace or not is_traceable(client):
        return ""
    heard = parse_moment(unheard_since)
    since = max(heard.timestamp() if heard else 0.0, _set_up_at(app)) + MARGIN
    places = find_client_places(client, app.home, app.workspace, read_environment())
    opencode = client.id == OPENCODE
    used = _opencode_since(places, read_environment(), since) if opencode else find_last_use(client.id, places, since)
    return datetime.fromtimestamp(used, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if used else ""


def _set_up_at(app: App) -> float:
    """Since when anything could be heard here."""
    row = find_registration(app)
    begun = parse_moment(row.initialised) if row else None
    return max(_modified_time(manifest_path(app.home)), begun.timestamp() if begun else 0.0)


def _modified_time(path: str) -> float:
    try:
        found = os.stat(path)
    except OSError:
        return 0.0
    return found.st_mtime if stat.S_ISREG(found.st_mode) else 0.0


def _opencode_since(places: Mapping[str, str], env: Mapping[str, str], since: float) -> float:
    """When OpenCode last had a session here. Its database is opened as one that nobody writes, and so not touched."""
    data = env.get("XDG_DATA_HOME") or os.path.join(places["user"], ".local/share")
    path = os.path.join(data, "opencode", "opencode.db")
    if max(_modified_time(path), _modified_time(f"{path}-wal")) <= since or not _modified_time(path):
        return 0.0
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        db = apsw.Connection(f"file:{_quote_path(path)}?mode=ro&immutable=1", flags=flags)
        try:
            newest = db.execute(_NEWEST, {"folder": places["workspace"]}).get
        finally:
            db.close()
    except apsw.Error:
        return 0.0
    used = newest / 1000 if isinstance(newest, int) else 0.0
    return used if since < used <= datetime.now(UTC).timestamp() else 0.0


def _quote_path(path: str) -> str:
    """A path inside a URI; `urllib` would cost every status its loading."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
