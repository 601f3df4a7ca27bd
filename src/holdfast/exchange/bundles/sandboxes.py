"""A conductor's memory that outlives its sandbox: brought in at the start, written out after each conversation.

`NAME/head.json` in the store names the newest bundle. It is written only by who knows what it said before: of two
writers one loses, brings in what the other wrote, and tries again. See docs/formats/bundle.md.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any

from holdfast.core.errors import BadRequest, Conflict, HoldfastError, Refused
from holdfast.core.event import Cursor
from holdfast.core.memory import Scope
from holdfast.core.value import Value, replace
from holdfast.exchange.bundle_format.bundle_parts import download, parts_prefix
from holdfast.exchange.bundle_format.bundle_paths import RECORD_FOLDERS
from holdfast.exchange.bundles.backups import note_backup
from holdfast.exchange.bundles.bundle_content import IMPORTED
from holdfast.exchange.bundles.bundle_outbox import is_unsent, note_sent, note_unsent
from holdfast.exchange.bundles.bundle_places import (
    ENDINGS,
    StoreDestination,
    WrittenBundle,
    export_into_store,
    owner_name,
)
from holdfast.exchange.bundles.export_import import (
    ALL,
    BundleImportResult,
    build_export_request,
    keys_from,
    locks_from,
    open_import,
)
from holdfast.exchange.object_store import ABSENT, Lost, Objects
from holdfast.exchange.open_store import join_address, open_store, split_address
from holdfast.forget.tombstones import apply_marks
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App, need_person

HEAD, BUNDLES = "head.json", "bundles"
TRIES = 8
LONGEST_NAME = 60
KEPT = 5
MOST_HEAD = 64 << 10
SETTLED = timedelta(minutes=10)
ENDS = frozenset({"answer", "session_end"})


class ConductorNotProven(Refused):
    """A conductor's memory that our key does not prove."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"The memory at {place!r} is sealed by another key: it is not taken as your own.",
            "give the key that sealed it (HOLDFAST_SHARE_KEY=env:NAME or file:PATH), or say --mine once.",
        )


class BadConductor(BadRequest):
    """A name that no conductor can have in a store."""

    def __init__(self, name: str, plain: str) -> None:
        super().__init__(
            f"{name[:200]!r} is no name for a conductor.",
            f"letters, digits, `.`, `_` and `-` make one, {LONGEST_NAME} at most: --name {plain or 'planner'}",
        )


class BadConductorHead(Conflict):
    """A head that names no bundle."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"{place!r} names no bundle of its own that is there and whole.",
            "look at the store, or take another --name.",
        )


class TooManyWriters(Conflict):
    """Somebody else was always first."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place!r} changed each time we were about to write it.", "it is tried again.")


class PushedHead(Value):
    """A bundle that is the head now. `merged`: how often another writer was first, and was brought in."""

    written: WrittenBundle
    merged: int


class Conductor:
    """One conductor's memory in a store."""

    def __init__(self, app: App, url: str, name: str = "", *, mine: bool = False) -> None:
        need_person(app, "sandbox wrap")
        self._app, self._mine = app, mine
        self._store: Objects = open_store(url)
        self._name = _check_conductor_name(name) if name else owner_name(app)
        self._tag: str | None = None
        self._pushed = ""

    @property
    def place(self) -> str:
        """Where the head lies."""
        return join_address(self._store.url, f"{self._name}/{HEAD}")

    def is_at(self, url: str, name: str) -> bool:
        """Whether it is the one of this name in a store."""
        return (self._store.url, self._name) == (open_store(url).url, name)

    def pull(self) -> BundleImportResult | None:
        """Bring in what the head names; None where there is none yet."""
        for _ in range(TRIES):
            held = self._store.get(f"{self._name}/{HEAD}", MOST_HEAD)
            if held is None:
                self._tag = ABSENT
                return None
            bundle, digest = self._named(held[0])
            data = download(self._store, bundle)
            if data is not None:
                done = self._bring(data, digest)
                self._tag = held[1]
                return done
        raise BadConductorHead(self.place)

    def _named(self, raw: bytes) -> tuple[str, str]:
        """The bundle that a head names, and its sum: one of this conductor's own, and no other object."""
        try:
            held = json.loads(raw)
            name, digest = str(held["bundle"]), str(held["sha256"])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise BadConductorHead(self.place) from None
        if not name.startswith(f"{self._name}/{BUNDLES}/") or not name.endswith(ENDINGS) or "/.." in name:
            raise BadConductorHead(self.place)
        return name, digest

    def _bring(self, data: Any, digest: str) -> BundleImportResult:
        with open_import(self._app, data, keys_from(self._app, (), ""), mine=self._mine) as bundle:
            if bundle.found.sha256 != digest:
                raise BadConductorHead(self.place)
            if not bundle.found.proven:
                raise ConductorNotProven(self.place)
            done = bundle.go()
        # What another sandbox of this conductor purged goes here too.
        apply_marks(self._app, events=True, bundles=True)
        return done

    def push(self) -> PushedHead | None:
        """Make all that is here the head; None where nothing changed since the last time."""
        mark = compute_fingerprint(self._app)
        if mark == self._pushed:
            return None
        try:
            done = self._push(mark)
        except (HoldfastError, OSError) as error:
            self.missed(str(error))
            raise
        note_sent(self._app, self.place)
        return done

    def missed(self, reason: str) -> None:
        """Remember that the store has not what it should have: `backup status` says so until it has."""
        # A disk that takes no note must not hide why there is one.
        with suppress(HoldfastError, OSError):
            note_unsent(self._app, self.place, reason)

    @property
    def is_behind(self) -> bool:
        """Whether the store did not take what it should have, the last time."""
        return is_unsent(self._app, self.place)

    def _push(self, mark: str) -> PushedHead:
        merged = 0
        if self._tag is None:
            self.pull()
        elif self._is_moved():
            # Looked at first: a whole bundle is not sent for a head that is lost already.
            self.pull()
            merged = 1
        for _ in range(TRIES):
            written = self._upload()
            try:
                self._tag = self._store.put(f"{self._name}/{HEAD}", self._head(written), self._tag)
            except Lost:
                self.pull()
                merged += 1
                continue
            self._pushed = mark if not merged else ""
            note_backup(self._app, self._store.url, written)
            self._prune(written)
            return PushedHead(written=written, merged=merged)
        raise TooManyWriters(self.place)

    def _is_moved(self) -> bool:
        held = self._store.get(f"{self._name}/{HEAD}", MOST_HEAD)
        return (held[1] if held else ABSENT) != self._tag

    def _upload(self) -> WrittenBundle:
        app = self._app
        asked = build_export_request(app, ALL, conversations=True)
        # A team's memory comes from the team, in every sandbox alike.
        asked = replace(asked, scopes=tuple(each for each in asked.scopes if each != Scope.TEAM))
        aim = StoreDestination(folder=f"{self._name}/{BUNDLES}", fresh=True)
        return export_into_store(app, self._store, asked, locks_from(app, (), ""), aim)

    def _head(self, written: WrittenBundle) -> bytes:
        told = written.report
        name = self._name_of(written)
        held = {"v": 1, "bundle": name, "sha256": told["sha256"], "bytes": told["bytes"], "at": told["created"]}
        return json.dumps(held, indent=1).encode()

    def _name_of(self, written: WrittenBundle) -> str:
        return f"{self._name}/{BUNDLES}/{split_address(written.place)[1]}"

    def _prune(self, written: WrittenBundle) -> None:
        """Keep the last few, and what is so new that another writer may be about to name it. Trouble is no matter."""
        try:
            rows = self._store.list(f"{self._name}/{BUNDLES}/")
            bundles = sorted((row for row in rows if row.name.endswith(ENDINGS)), key=lambda row: row.name)
            newest = max((when for row in bundles if (when := parse_moment(row.modified))), default=None)
            own = self._name_of(written)
            old = [
                row.name
                for row in bundles[:-KEPT]
                if row.name != own and newest and (when := parse_moment(row.modified)) and newest - when > SETTLED
            ]
            self._store.delete(old)
            self._store.delete(
                [row.name for row in rows if any(row.name.startswith(parts_prefix(each)) for each in old)]
            )
        except HoldfastError:
            return


def compute_fingerprint(app: App) -> str:
    """What tells whether anything was added or changed: names, sizes and times of the files that bundles hold."""
    held = sha256()
    for root in (app.folder, app.home):
        for top in ("memory", "candidates", "journal", *RECORD_FOLDERS):
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in sorted(names):
                    if not name.startswith(".") and name != "lock":
                        with suppress(FileNotFoundError):
                            seen = os.lstat(os.path.join(folder, name))
                            held.update(
                                f"{folder}/{name} {seen.st_size} {seen.st_mtime_ns}\n".encode("utf-8", "replace")
                            )
    return held.hexdigest()


class JournalActivity(Value):
    """What a look at the journal found: whether anything was said here, and whether a conversation ended."""

    moved: bool
    ended: bool


class JournalWatch:
    """The journal, watched for what is said here; what an import brings is not."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._place = Cursor()
        self.look()

    def look(self) -> JournalActivity:
        """What came since the last look."""
        moved = ended = False
        for record in self._app.journal.read(self._place):
            self._place = record.after
            data = record.data.get("data")
            if record.kind == "event" and not (isinstance(data, Mapping) and IMPORTED in data):
                moved = True
                ended = ended or record.data.get("name") in ENDS
        return JournalActivity(moved=moved, ended=ended)


def _check_conductor_name(name: str) -> str:
    """A name as it was given; another one in its place would be another conductor's memory."""
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name)
    plain = plain.strip(".-")[:LONGEST_NAME]
    if plain != name:
        raise BadConductor(name, plain)
    return name
