"""What a person changes at once is a batch, and the last one can be undone: every file it touched gets its bytes back.

`state/batches/<id>.jsonl`: what a file held stands there, on disk, before the file changes.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from holdfast.domain.errors import Conflict, NotFound
from holdfast.domain.event import Event
from holdfast.domain.ids import ulid
from holdfast.domain.memory import Entry, Memory, Scope
from holdfast.domain.value import Value
from holdfast.memory.allow import learn
from holdfast.memory.entries import CANDIDATES, MEMORY, from_index, to_index, vault_of
from holdfast.memory.forms import now
from holdfast.memory.open import need_person
from holdfast.vault.disk import Place, opened_folder
from holdfast.vault.write import create_file, locked, put_file, read_file, remove_file, replace_file
from holdfast.wiring.app import App
from holdfast.wiring.reach import PAGE
from holdfast.wiring.rendering import in_step

FOLDER = os.path.join("state", "batches")
KEPT = 20
GONE = ""


class NothingToUndo(NotFound):
    """No batch is left."""

    def __init__(self) -> None:
        super().__init__("There is nothing to undo here.", "`holdfast log` shows what was done.")


class ChangedSince(Conflict):
    """A file is not as the batch left it."""

    def __init__(self, verb: str, paths: Sequence[str]) -> None:
        shown = ", ".join(f"'{path}'" for path in paths[:4])
        super().__init__(
            f"`{verb}` cannot be undone: {shown} changed since.",
            "nothing was undone; put the file back as it was, or change it by hand: holdfast edit ID",
        )


class Touched(Value):
    """A file that a batch changed: what it held before (None: it was not there), and its sum after."""

    scope: str
    place: str
    path: str
    id: str
    before: str | None
    after: str | None


class Undone(Value):
    """A batch: the verb, when it was, and the ids it was about."""

    verb: str
    at: str
    ids: tuple[str, ...]


class Batch:
    """The changes of one batch, each on disk when its call returns. Paths are those of the index."""

    def __init__(self, app: App, verb: str) -> None:
        self._app, self._verb = app, verb
        self._path = os.path.join(app.folder, FOLDER, f"{ulid()}.jsonl")
        self._begun = False
        self._changed: set[tuple[Scope, str]] = set()

    def create(self, memory: Memory, scope: Scope) -> Entry:
        """A new memory's file."""
        entry = self._app.vaults[scope].create(memory)
        self._keep(scope, MEMORY, entry, before=None, after=entry.sha256)
        learn(self._app, entry)
        return to_index(entry)

    def add(self, memory: Memory) -> Entry:
        """A new candidate."""
        entry = self._app.candidates.add(memory)
        self._keep(self._app.scope, CANDIDATES, entry, before=None, after=entry.sha256)
        return to_index(entry, CANDIDATES)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """A memory or candidate, changed in its file."""
        entry = self._as_it_is(entry)
        place, plain = entry.path.partition("/")[0], from_index(entry)
        self._keep(entry.scope, place, plain, before=self._text(entry), after=None)
        changed = vault_of(self._app, entry).rewrite(plain, memory)
        self._keep(entry.scope, place, changed, before=None, after=changed.sha256)
        if place == MEMORY:
            learn(self._app, changed, before=entry.sha256)
        return to_index(changed, place)

    def remove(self, entry: Entry) -> None:
        """Take a memory or candidate out of its file."""
        entry = self._as_it_is(entry)
        place, plain = entry.path.partition("/")[0], from_index(entry)
        self._keep(entry.scope, place, plain, before=self._text(entry), after=None)
        vault_of(self._app, entry).remove(plain)
        left = _read(_place(self._app, entry.scope, place), plain.path)
        self._keep(entry.scope, place, plain, before=None, after=_sum(left))

    def put_page(self, data: bytes, memory_id: str) -> None:
        """The people's own page anew."""
        place = Place(root=self._app.folder)
        before = _read(place, PAGE)
        row = {"scope": self._app.scope, "place": "page", "path": PAGE, "id": memory_id}
        self._line({**row, "before": _words(before), "after": _sum(data)})
        put_file(os.path.join(self._app.folder, PAGE), data, private=False)

    def _as_it_is(self, entry: Entry) -> Entry:
        """The entry where it stands now: a file with several entries moves with each change of one."""
        key = (entry.scope, entry.path)
        if key in self._changed:
            file = vault_of(self._app, entry).read(from_index(entry).path)
            same = [each for each in file.entries if each.memory.id == entry.memory.id] if file else []
            return to_index(same[0], entry.path.partition("/")[0]) if same else entry
        self._changed.add(key)
        return entry

    def _text(self, entry: Entry) -> str | None:
        return _words(_read(_place(self._app, entry.scope, entry.path.partition("/")[0]), from_index(entry).path))

    def _keep(self, scope: Scope, place: str, entry: Entry, *, before: str | None, after: str | None) -> None:
        row: dict[str, Any] = {"scope": scope, "place": place, "path": entry.path, "id": entry.memory.id}
        if before is not None:
            row["before"] = before
        if after is not None:
            row["after"] = after
        self._line(row)

    def _line(self, row: dict[str, Any]) -> None:
        rows = [row] if self._begun else [{"v": 1, "verb": self._verb, "at": now(self._app)}, row]
        if not self._begun:
            _make_room(self._app)
        _append(self._path, "".join(json.dumps(each) + "\n" for each in rows).encode())
        self._begun = True


@contextmanager
def batch(app: App, verb: str) -> Iterator[Batch]:
    """Changes that are undone together. At its end, index, page and blocks are in step, whatever became of it."""
    try:
        yield Batch(app, verb)
    finally:
        in_step(app)


def last_batch(app: App) -> Undone | None:
    """What `undo` would undo."""
    for path in _newest_first(app):
        head, touched = _load(path)
        if touched:
            return _told(head, touched)
    return None


def undo(app: App) -> Undone:
    """Give every file of the last batch the bytes it had. All or nothing: a file that changed since stops it."""
    need_person(app, "undo")
    for path in _newest_first(app):
        head, touched = _load(path)
        if touched:
            done = _told(head, touched)
            _undo(app, done, touched)
            os.unlink(path)
            _note(app, done)
            in_step(app)
            return done
        os.unlink(path)
    raise NothingToUndo


def _undo(app: App, done: Undone, touched: Sequence[Touched]) -> None:
    left = [each for each in touched if _sum(_now(app, each)) != _sum_of(each.before)]
    moved = [each.path for each in left if not _is_as_left(app, each)]
    if moved:
        raise ChangedSince(done.verb, moved)
    # What comes back comes before what goes: a kill in between loses nothing, and undoing again goes on.
    for each in sorted(left, key=lambda one: one.before is None):
        place = _place(app, Scope(each.scope), each.place)
        current = _sum(_now(app, each))
        with locked(place):
            if each.before is None:
                remove_file(place, each.path, then=current)
            elif current == GONE:
                create_file(place, each.path, each.before.encode("utf-8", "surrogateescape"))
            else:
                replace_file(place, each.path, each.before.encode("utf-8", "surrogateescape"), then=current)


def _is_as_left(app: App, each: Touched) -> bool:
    return each.after is not None and _sum(_now(app, each)) == each.after


def _now(app: App, each: Touched) -> bytes | None:
    return _read(_place(app, Scope(each.scope), each.place), each.path)


def _place(app: App, scope: Scope, place: str) -> Place:
    if place == "page":
        return Place(root=app.folder)
    root = app.folder if scope is app.scope else app.home
    return Place(root=os.path.join(root, place), private=place == CANDIDATES)


def _load(path: str) -> tuple[dict[str, Any], list[Touched]]:
    """A batch as it was written down: of each file the first `before` and the last `after`, in the order touched."""
    with open(path, encoding="utf-8", errors="replace") as file:
        rows = [row for row in map(_parsed, file) if row]
    head = rows[0] if rows and "verb" in rows[0] else {}
    found: dict[tuple[str, str, str], Touched] = {}
    for row in rows[1:] if head else ():
        key = (str(row["scope"]), str(row["place"]), str(row["path"]))
        held = found.get(key)
        first = held.before if held else row.get("before")
        found[key] = Touched(
            scope=key[0], place=key[1], path=key[2], id=str(row["id"]), before=first, after=row.get("after")
        )
    return head, list(found.values())


def _parsed(line: str) -> dict[str, Any]:
    """A line; nothing where a write was cut short."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    whole = isinstance(row, dict) and ("verb" in row or {"scope", "place", "path", "id"} <= row.keys())
    return row if whole else {}


def _told(head: dict[str, Any], touched: Sequence[Touched]) -> Undone:
    ids = tuple(dict.fromkeys(each.id for each in touched))
    return Undone(verb=str(head["verb"]), at=str(head.get("at", "")), ids=ids)


def _newest_first(app: App) -> list[str]:
    folder = os.path.join(app.folder, FOLDER)
    try:
        names = sorted((name for name in os.listdir(folder) if name.endswith(".jsonl")), reverse=True)
    except FileNotFoundError:
        return []
    return [os.path.join(folder, name) for name in names]


def _make_room(app: App) -> None:
    for path in _newest_first(app)[KEPT - 1 :]:
        os.unlink(path)


def _append(path: str, data: bytes) -> None:
    folder, name = os.path.split(path)
    with opened_folder(Place(root=folder, private=True), (), make=True) as where:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=where)
        try:
            os.write(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)


def _read(place: Place, path: str) -> bytes | None:
    return read_file(place, path)


def _sum(data: bytes | None) -> str:
    return GONE if data is None else sha256(data).hexdigest()


def _sum_of(text: str | None) -> str:
    return GONE if text is None else sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _words(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _note(app: App, done: Undone) -> None:
    data = {"verb": done.verb, "ids": list(done.ids), "text": f"undone: {done.verb} {' '.join(done.ids[:8])}"}
    app.journal.append([Event(client="holdfast", name="batch.undone", data=data)])
