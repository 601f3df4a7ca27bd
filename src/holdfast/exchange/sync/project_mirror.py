"""A project of a team's database as a workspace here: what servers of one team work on.

The folder is a cache: files, records and events come from the database and go to it, and whoever deletes the folder
loses nothing. Changes are the database's to decide: of two at once, the later one becomes a candidate.
"""

import os
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING

from holdfast.config.registry import RegisteredWorkspace
from holdfast.core.event import BEGINNING, Cursor, JournalRecord
from holdfast.core.home import MIRRORS
from holdfast.core.ids import random_part
from holdfast.exchange.database_removal import DatabaseMatches, PurgeWords, purge_in_spaces
from holdfast.exchange.postgres.change_feed import newest_number
from holdfast.exchange.postgres.database import TEAM
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.postgres.postgres_peer import PostgresPeer
from holdfast.exchange.sync.journal_events_sync import CHUNK, event_of, split_into_batches
from holdfast.exchange.sync.serve_sync import append_events
from holdfast.exchange.sync.sync_workspace import SyncReport, SyncScope, sync_workspace
from holdfast.index.entries import CANDIDATES, MEMORY
from holdfast.records.team_forms import RECORDS
from holdfast.setup.init_workspace import init, plan_init
from holdfast.system.safe_write import put_file
from holdfast.trust.allow import register
from holdfast.vault.memory_text import MarkdownTexts
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.exchange.postgres.database import DatabaseSpace

__all__ = ["Mirror", "mirror_id"]

PLACE = os.path.join("state", "sync")
REPLICA, PULLED = "replica", "pulled"
FROM_THERE = "team:"
EVENT = "event"
EVERYTHING = SyncScope(places=(MEMORY, CANDIDATES, RECORDS), cache=True, trusted=True)


def mirror_id(team: str, project: str) -> str:
    """What a project is called in every server's addresses: the same everywhere, unlike the id of a folder.

    Without a project: the team's own memory.
    """
    return blake2b(f"{team}\n{project}".encode(), digest_size=8).hexdigest()


class Mirror:
    """One project here. `moved` is told by whoever hears that the database changed; from any thread."""

    def __init__(self, space: "DatabaseSpace", home: str) -> None:
        self.space = space
        self.id = mirror_id(space.team.name, "" if space.kind == TEAM else space.name)
        self.path = os.path.join(home, MIRRORS, self.id, _folder_name(space.name))
        self._shared = PostgresPeer(space, MarkdownTexts())
        self._journal = PostgresJournal(space)
        self._lock = Lock()
        self._seen = -1
        self._heard = 0

    @property
    def registered(self) -> RegisteredWorkspace:
        """The project as a row of the registry; its folder is made where it is not there."""
        if not os.path.isdir(os.path.join(self.path, ".holdfast")):
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            app = plan_init(self.path, named=True)
            init(app)
            register(app, allowed=True)
        return RegisteredWorkspace(workspace_id=self.id, path=self.path, allowed_at="mirror", capture=True)

    def moved(self, n: int) -> None:
        """The database is at this number now."""
        with self._lock:
            self._heard = max(self._heard, n)

    def doubt(self) -> None:
        """Notifications may have been missed: look at the next chance."""
        with self._lock:
            self._seen = -1

    def is_behind(self) -> bool:
        """Whether the database moved since we last looked."""
        with self._lock:
            return self._seen < self._heard or self._seen < 0

    def sync(self, app: App) -> SyncReport:
        """Take what others changed, send what changed here."""
        at = newest_number(self.space)
        self._take_events(app)
        done = sync_workspace(app, self._shared, EVERYTHING)
        self._send_events(app)
        with self._lock:
            self._believe(at)
            # No further: what was heard meanwhile may be our own, or another's that came after we had looked.
            self._seen = at
        return done

    def _believe(self, at: int) -> None:
        """Whoever may connect can tell a number that never was, and the true ones would be no news after it.

        Hold the lock: what is told meanwhile is heard after this.
        """
        if self._heard > at:
            self._heard = min(self._heard, newest_number(self.space))

    def purge(self, words: PurgeWords, why: str) -> DatabaseMatches:
        """Take something out of every row of the project, then search them all for it."""
        team = self.space.team
        return purge_in_spaces(team.database, team, [self.space], words, why)

    def _send_events(self, app: App) -> None:
        replica, cursor = self._replica(app), self._cursor(app, "sent")
        for chunk in split_into_batches(app.journal.read(cursor), cursor):
            self._send(app, replica, chunk)

    def _send(self, app: App, replica: str, chunk: Sequence[JournalRecord]) -> None:
        events = [
            event_of(record, f"{replica}:{record.id}")
            for record in chunk
            if record.kind == EVENT and not str(record.data.get("key", "")).startswith(FROM_THERE)
        ]
        if events:
            self._journal.append(events)
        self._keep_cursor(app, "sent", chunk[-1].after)

    def _take_events(self, app: App) -> None:
        replica = self._replica(app)
        chunk: list[JournalRecord] = []
        for record in self._journal.read(self._cursor(app, PULLED)):
            chunk.append(record)
            if len(chunk) >= CHUNK:
                self._take(app, replica, chunk)
                chunk = []
        if chunk:
            self._take(app, replica, chunk)

    def _take(self, app: App, replica: str, chunk: Sequence[JournalRecord]) -> None:
        events = [
            event_of(record, f"{FROM_THERE}{record.id}")
            for record in chunk
            if record.kind == EVENT and not str(record.data.get("key", "")).startswith(f"{replica}:")
        ]
        if events:
            append_events(app, events)
        self._keep_cursor(app, PULLED, chunk[-1].after)

    def _replica(self, app: App) -> str:
        """What this folder calls itself among the servers of its team."""
        path = os.path.join(app.folder, PLACE, REPLICA)
        try:
            with open(path, encoding="ascii") as file:
                return file.read().strip()
        except (OSError, UnicodeDecodeError):
            made = random_part(12)
            put_file(path, made.encode())
            return made

    def _cursor(self, app: App, name: str) -> Cursor:
        try:
            with open(os.path.join(app.folder, PLACE, name), encoding="ascii") as file:
                segment, offset = file.read().split(":")
                return Cursor(segment=int(segment), offset=int(offset))
        except (OSError, ValueError):
            return BEGINNING

    def _keep_cursor(self, app: App, name: str, cursor: Cursor) -> None:
        put_file(os.path.join(app.folder, PLACE, name), f"{cursor.segment}:{cursor.offset}".encode())


def _folder_name(project: str) -> str:
    last_part = project.rstrip("/").rpartition("/")[2]
    shown = "".join(each if each.isalnum() or each in "._-" else "-" for each in last_part)[:60].strip(".")
    return shown or "project"
