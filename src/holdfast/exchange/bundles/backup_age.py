"""How old the last backup is: told by `status` and `doctor`, without asking any store."""

import os

from holdfast.core.value import Value
from holdfast.exchange.bundles.bundle_outbox import list_outbox
from holdfast.system.json_cache import read_json_cache
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

STATE = os.path.join("state", "backup.json")
LATE = "Memory waits to be sent to its store"


class BackupAge(Value):
    """How old the last backup is. `warning`: what to say of it; empty where all is well."""

    store: str
    last: str = ""
    name: str = ""
    warning: str = ""


def read_backup_age(app: App) -> BackupAge:
    """How old the last backup is, by our own note. Asks no store."""
    url = str(app.settings["backup.store"])
    held = read_json_cache(os.path.join(app.folder, STATE))
    last = str(held.get("at", ""))
    warning = (_warning(app, last) if url else "") or _explain_late(app)
    return BackupAge(store=url, last=last, name=str(held.get("name", "")), warning=warning)


def _explain_late(app: App) -> str:
    since = min((each.at for each in list_outbox(app)), default="")
    return f"{LATE} since {since}: holdfast backup status" if since else ""


def _warning(app: App, last: str) -> str:
    most = int(app.settings["backup.max_age_days"])
    when = parse_moment(last)
    if not most:
        return ""
    if when is None:
        return "There is no backup yet: holdfast backup now"
    days = (app.clock.now() - when).days
    return f"The last backup is {days} days old: holdfast backup now" if days >= most else ""
