"""A conductor's memory that outlives its sandbox: brought in at the start, written out after each conversation.

`NAME/head.json` in the store names the newest bundle. It is written only by who knows what it said before: of two
writers one loses, brings in what the other wrote, and tries again. See docs/formats/bundle.md.
"""

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from holdfast.domain.errors import BadRequest, Conflict, HoldfastError, NotFound, Refused
from holdfast.domain.event import Cursor
from holdfast.domain.memory import MemoryType, SaidBy
from holdfast.domain.value import Value
from holdfast.memory.backups import note_backup
from holdfast.memory.bundle_content import IMPORTED
from holdfast.memory.bundle_places import ENDINGS, Aim, Written, export_into, is_bundle, owner_name, source
from holdfast.memory.bundles import ALL, Imported, bring, keys_from, locks_from, wanted
from holdfast.memory.open import need_person
from holdfast.memory.packs import pack_for, pack_json
from holdfast.memory.remember import Draft, propose
from holdfast.ports.objects import ABSENT, Lost, Objects
from holdfast.share.parts import download, parts_of
from holdfast.vault.write import put_file
from holdfast.wiring.app import App
from holdfast.wiring.stores import open_store

HEAD = "head.json"
TRIES = 8
KEPT = 5
ENDS = frozenset({"answer", "session_end"})
PACK = "holdfast-pack"
REPORT = "holdfast-report"
LARGEST_REPORT = 4 << 20
MOST_RESULTS = 500


class NotYours(Refused):
    """A conductor's memory that our key does not prove."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"The memory at {place!r} is sealed by another key: it is not taken as your own.",
            "give the key that sealed it (HOLDFAST_SHARE_KEY=env:NAME or file:PATH), or say --mine once.",
        )


class BadHead(Conflict):
    """A head that names no bundle."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place!r} names a bundle that is not there.", "look at the store, or take another --name.")


class TooManyWriters(Conflict):
    """Somebody else was always first."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place!r} changed each time we were about to write it.", "it is tried again.")


class NoReport(BadRequest):
    """A file that reports nothing we can read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path!r} is no report: {reason}.",
            'it is a bundle (`holdfast export`), or {"format": "holdfast-report", "results": [{"type", "text"}]}.',
        )


class Pushed(Value):
    """A bundle that is the head now. `merged`: how often another writer was first, and was brought in."""

    written: Written
    merged: int


class Conductor:
    """One conductor's memory in a store."""

    def __init__(self, app: App, url: str, name: str = "", *, mine: bool = False) -> None:
        need_person(app, "sandbox wrap")
        self._app, self._mine = app, mine
        self._store: Objects = open_store(url)
        self._name = _plain_name(name or owner_name(app))
        self._tag: str | None = None
        self._pushed = ""

    @property
    def place(self) -> str:
        """Where the head lies."""
        return f"{self._store.url}/{self._name}/{HEAD}"

    def pull(self) -> Imported | None:
        """Bring in what the head names; None where there is none yet."""
        for _ in range(TRIES):
            held = self._store.get(f"{self._name}/{HEAD}")
            if held is None:
                self._tag = ABSENT
                return None
            data = download(self._store, _bundle_of(held[0], self.place))
            if data is not None:
                done = self._bring(data)
                self._tag = held[1]
                return done
        raise BadHead(self.place)

    def _bring(self, data: Any) -> Imported:
        with bring(self._app, data, keys_from(self._app, (), ""), mine=self._mine) as bundle:
            if not bundle.found.proven:
                raise NotYours(self.place)
            return bundle.go()

    def push(self) -> Pushed | None:
        """Make all that is here the head; None where nothing changed since the last time."""
        mark = fingerprint(self._app)
        if mark == self._pushed:
            return None
        if self._tag is None:
            self.pull()
        for count in range(TRIES):
            written = self._upload()
            try:
                self._tag = self._store.put(f"{self._name}/{HEAD}", self._head(written), self._tag)
            except Lost:
                self.pull()
                continue
            self._pushed = mark if not count else ""
            note_backup(self._app, self._store.url, written)
            self._prune()
            return Pushed(written=written, merged=count)
        raise TooManyWriters(self.place)

    def _upload(self) -> Written:
        app = self._app
        asked = wanted(app, ALL, conversations=True)
        aim = Aim(folder=f"{self._name}/bundles", fresh=True)
        return export_into(app, self._store, asked, locks_from(app, (), ""), aim)

    def _head(self, written: Written) -> bytes:
        told = written.told
        name = written.place.removeprefix(f"{self._store.url}/")
        held = {"v": 1, "bundle": name, "sha256": told["sha256"], "bytes": told["bytes"], "at": told["created"]}
        return json.dumps(held, indent=1).encode()

    def _prune(self) -> None:
        """Keep the last few; what a slow reader still reads is among them. No trouble here is worth a word."""
        try:
            rows = self._store.list(f"{self._name}/bundles/")
            old = sorted(row.name for row in rows if row.name.endswith(ENDINGS))[:-KEPT]
            self._store.delete(old)
            self._store.delete([row.name for row in rows if any(row.name.startswith(parts_of(each)) for each in old)])
        except HoldfastError:
            return


def fingerprint(app: App) -> str:
    """What tells whether anything was added or changed: names, sizes and times of the files that bundles hold."""
    held = sha256()
    for root in {app.folder, app.home}:
        for top in ("memory", "candidates", "journal", "log", "work", "runs"):
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in sorted(names):
                    if not name.startswith(".") and name != "lock":
                        seen = os.lstat(os.path.join(folder, name))
                        held.update(f"{folder}/{name} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    return held.hexdigest()


class Watch:
    """The journal, watched for conversations that came to an end."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._place = Cursor()
        self.ended()

    def ended(self) -> bool:
        """Whether one ended since the last look."""
        found = False
        for record in self._app.journal.read(self._place):
            self._place = record.after
            data = record.data.get("data")
            if record.data.get("name") in ENDS and not (isinstance(data, Mapping) and IMPORTED in data):
                found = True
        return found


# Workers


def worker_pack(app: App, goal: str, path: str, *, budget: int = 0) -> dict[str, Any]:
    """A file that a worker may read: what is accepted here and matters to a goal. It can change nothing of it."""
    need_person(app, "sandbox pack")
    pack = pack_json(pack_for(app, goal, budget=budget))
    held = {"format": PACK, "version": 1, "from": owner_name(app), "goal": goal, **pack}
    put_file(path, json.dumps(held, ensure_ascii=False, indent=1).encode())
    os.chmod(path, 0o444)
    return held


class Reported(Value):
    """What a worker's report became: ids of candidates, and rows that are none."""

    candidates: tuple[str, ...]
    rejected: tuple[str, ...]


def take_report(app: App, path: str, worker: str) -> Reported:
    """Bring in what a worker found out: candidates, whoever sealed it."""
    need_person(app, f"sandbox report {path}")
    if not os.path.isfile(path):
        raise NotFound(f"There is no file {path!r}.", "check the path.")
    if is_bundle(path):
        with source(app, path) as (data, _), bring(app, data, keys_from(app, (), ""), foreign=True) as bundle:
            steps = bundle.go().plan.steps
        rejected = tuple(f"{step.id}: {step.reason}" for step in steps if step.does == "rejected" and step.title)
        return Reported(candidates=tuple(step.candidate for step in steps if step.candidate), rejected=rejected)
    made, rejected_rows = [], []
    for count, row in enumerate(_results(path)):
        try:
            made.append(propose(app, _draft(row, worker), said_by=SaidBy.AGENT).memory.id)
        except HoldfastError as error:
            rejected_rows.append(f"{count + 1}: {error}")
    return Reported(candidates=tuple(made), rejected=tuple(rejected_rows))


def _results(path: str) -> Iterator[Mapping[str, Any]]:
    with open(path, "rb") as file:
        raw = file.read(LARGEST_REPORT + 1)
    try:
        held = json.loads(raw) if len(raw) <= LARGEST_REPORT else None
    except (ValueError, RecursionError):
        held = None
    results = held.get("results") if isinstance(held, dict) and held.get("format") == REPORT else None
    if not isinstance(results, list):
        raise NoReport(path, "it cannot be read as one")
    if len(results) > MOST_RESULTS:
        raise NoReport(path, f"it has more than {MOST_RESULTS} results")
    for row in results:
        yield row if isinstance(row, dict) else {}


def _draft(row: Mapping[str, Any], worker: str) -> Draft:
    kind, text = str(row.get("type", "")), str(row.get("text", ""))
    if kind not in list(MemoryType) or not text.strip():
        raise BadRequest("it lacks a type or a text.", "")
    fields: dict[str, Any] = {"source": f"worker {worker}"[:200]}
    if row.get("title"):
        fields["title"] = str(row["title"])[:120]
    return Draft(type=kind, text=text, fields=fields)


def _bundle_of(raw: bytes, place: str) -> str:
    try:
        name = json.loads(raw)["bundle"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadHead(place) from None
    return str(name)


def _plain_name(name: str) -> str:
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name)
    return plain.strip(".-")[:60] or "conductor"
