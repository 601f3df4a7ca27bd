"""What a person changes at once is a batch, and the last one can be undone: every file it touched gets its bytes back.

`state/batches/<id>.jsonl`: what a file held stands there, on disk, before the file changes.
"""

import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from holdfast.core.errors import Conflict, HoldfastError, NotFound
from holdfast.core.event import Event
from holdfast.core.file_names import file_name
from holdfast.core.ids import ulid
from holdfast.core.memory import FOLDERS, Entry, Memory, MemoryType, Scope
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.index.entries import CANDIDATES, MEMORY, to_index_entry, to_vault_entry, vault_of
from holdfast.render.refresh import refresh_generated
from holdfast.system.folders import WritableFolder, open_folder, translate_os_errors
from holdfast.system.safe_write import lock_folder, put_file, read_file, swap_file, write_all
from holdfast.trust.allow import mark_as_own
from holdfast.trust.presence import prove_person
from holdfast.trust.visibility import PAGE
from holdfast.vault.edit_entry import remove_entry, render_new_file, replace_entry
from holdfast.vault.entry_json import now
from holdfast.workspace import App

PLACE = os.path.join("state", "batches")
ENDING = ".jsonl"
KEPT = 20
GONE = ""


class NoBatchToUndo(NotFound):
    """No batch is left, or not the one that is named."""

    def __init__(self, batch: str = "") -> None:
        done = f"What {batch!r} changed is undone already, or is too long ago." if batch else ""
        super().__init__(done or "There is nothing to undo here.", "`holdfast log` shows what was done.")


class ChangedSinceBatch(Conflict):
    """A file is not as the batch left it."""

    def __init__(self, verb: str, paths: Sequence[str]) -> None:
        shown = ", ".join(f"'{path}'" for path in paths[:4])
        super().__init__(
            f"`{verb}` cannot be undone: {shown} changed since.",
            "nothing was undone; put the file back as it was, or change it by hand: holdfast edit ID",
        )


class TouchedFile(Value):
    """A file that a batch changed: what it held before (None: it was not there), and its sum after."""

    scope: str
    place: str
    path: str
    id: str
    before: str | None
    after: str


class BatchSummary(Value):
    """A batch: its own id, the verb, when it was, and the ids it was about."""

    id: str
    verb: str
    at: str
    ids: tuple[str, ...]


class Batch:
    """The changes of one batch, each on disk when its call returns. Paths are those of the index."""

    def __init__(self, app: App, verb: str, name: str = "") -> None:
        self._app, self._verb, self._id = app, verb, name or ulid()
        self._path = os.path.join(app.folder, PLACE, f"{self._id}{ENDING}")
        # One that was cut short goes on under its name.
        self._begun = bool(name) and os.path.exists(self._path)
        self._changed: set[tuple[Scope, str]] = set()

    def create(self, memory: Memory, scope: Scope) -> Entry:
        """A new memory's file."""
        path = f"{FOLDERS[memory.type]}/{file_name(memory.id, memory.title)}"
        with self._kept(scope, MEMORY, path, memory.id, before=None, after=render_new_file(memory).encode()):
            entry = self._app.vaults[scope].create(memory)
        mark_as_own(self._app, entry)
        return to_index_entry(entry)

    def add(self, memory: Memory) -> Entry:
        """A new candidate."""
        path = file_name(memory.id)
        with self._kept(
            self._app.scope, CANDIDATES, path, memory.id, before=None, after=render_new_file(memory).encode()
        ):
            return to_index_entry(self._app.candidates.add(memory), CANDIDATES)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """A memory or candidate, changed in its file."""
        entry = self._as_it_is(entry)
        place, plain = entry.path.partition("/")[0], to_vault_entry(entry)
        before = self._bytes(entry)
        after = replace_entry(before.decode(), entry.line, memory).encode() if before is not None else None
        with self._kept(entry.scope, place, plain.path, entry.memory.id, before=before, after=after):
            changed = vault_of(self._app, entry).rewrite(plain, memory)
        if place == MEMORY:
            mark_as_own(self._app, changed, before=entry.sha256)
        return to_index_entry(changed, place)

    def remove(self, entry: Entry) -> str:
        """Take a memory or candidate out of its file; its text."""
        entry = self._as_it_is(entry)
        place, plain = entry.path.partition("/")[0], to_vault_entry(entry)
        before = self._bytes(entry)
        rest = remove_entry(before.decode(), entry.line)[0] if before is not None else ""
        left = rest.encode() if rest.strip("\ufeff \t\r\n") else None
        with self._kept(entry.scope, place, plain.path, entry.memory.id, before=before, after=left):
            return vault_of(self._app, entry).remove(plain)

    def put_page(self, data: bytes, memory_id: str) -> None:
        """The people's own page, rewritten."""
        place = WritableFolder(root=self._app.folder)
        before = _read(place, PAGE)
        self._keep(self._app.scope, "page", PAGE, memory_id, before=before, after=data)
        put_file(os.path.join(self._app.folder, PAGE), data, private=False)

    def set_file(self, scope: Scope, path: str, memory_id: str, *, before: str, after: bytes | None) -> bool:
        """A file of the vault or the candidates, whole, where it has the sum `before`. False: it changed meanwhile."""
        place, _, inner = path.partition("/")
        where = _place(self._app, scope, place)
        with lock_folder(where):
            current = _read(where, inner)
            if _sum(current) == before != _sum(after):
                if place == CANDIDATES and after is not None:
                    self._app.note_proposed(_sum(after), before)
                self._keep(scope, place, inner, memory_id, before=current, after=after)
                swap_file(where, inner, after, then=_sum(current))
        if _sum(current) not in {before, _sum(after)}:
            return False
        if after is not None and place == MEMORY:
            memory = Memory(id=memory_id, type=MemoryType.LEARNING)
            mark_as_own(self._app, Entry(memory=memory, scope=scope, path=path, line=1, sha256=_sum(after)))
        return True

    def _as_it_is(self, entry: Entry) -> Entry:
        """The entry where it stands now: a file with several entries moves with each change of one."""
        key = (entry.scope, entry.path)
        if key in self._changed:
            file = vault_of(self._app, entry).read(to_vault_entry(entry).path)
            same = [each for each in file.entries if each.memory.id == entry.memory.id] if file else []
            return to_index_entry(same[0], entry.path.partition("/")[0]) if same else entry
        self._changed.add(key)
        return entry

    def _bytes(self, entry: Entry) -> bytes | None:
        """The file's bytes, if it is as it was read; where it is not, the vault refuses the change."""
        data = _read(_place(self._app, entry.scope, entry.path.partition("/")[0]), to_vault_entry(entry).path)
        return data if data is not None and _sum(data) == entry.sha256 else None

    @contextmanager
    def _kept(
        self, scope: Scope, place: str, path: str, memory_id: str, *, before: bytes | None, after: bytes | None
    ) -> Iterator[None]:
        """What is written down before a change is taken back where the vault refused it: then there is none."""
        if before is None and after is None:
            yield
            return
        self._keep(scope, place, path, memory_id, before=before, after=after)
        try:
            yield
        except HoldfastError:
            self._line({"scope": scope, "place": place, "path": path, "id": memory_id, "refused": True})
            raise

    def _keep(
        self, scope: Scope, place: str, path: str, memory_id: str, *, before: bytes | None, after: bytes | None
    ) -> None:
        """What a file holds and will hold, on disk before it changes."""
        row = {"scope": scope, "place": place, "path": path, "id": memory_id}
        self._line({**row, "before": _words(before), "after": _sum(after)})

    def _line(self, row: dict[str, Any]) -> None:
        rows = [row] if self._begun else [{"v": 1, "verb": self._verb, "at": now(self._app)}, row]
        if not self._begun:
            _make_room(self._app)
        _append(self._path, "".join(json.dumps(each) + "\n" for each in rows).encode())
        self._begun = True
        if self._id not in self._app.batches:
            self._app.batches.append(self._id)


@contextmanager
def open_batch(app: App, verb: str, name: str = "") -> Iterator[Batch]:
    """Changes that are undone together. At its end, index, page and blocks are up to date, whatever became of it."""
    try:
        yield Batch(app, verb, name)
    finally:
        refresh_generated(app)


def read_last_batch(app: App) -> BatchSummary | None:
    """What `undo` would undo. Raises ChangedSince where it would refuse."""
    for _, done, touched in _list_batches(app):
        _check_unchanged(app, done, touched)
        return done
    return None


def undo(app: App, batch: str = "") -> BatchSummary:
    """Give every file of a batch, by its id, or of the last one the bytes it had.

    All or nothing: a file that changed since stops it.
    """
    prove_person(app, "undo")
    for path, done, touched in _list_batches(app):
        if batch not in {"", done.id}:
            continue
        _check_unchanged(app, done, touched)
        _undo(app, touched)
        os.unlink(path)
        _note(app, done)
        refresh_generated(app)
        return done
    raise NoBatchToUndo(batch)


def drop_batches(app: App, ids: Collection[str]) -> None:
    """Forget how to undo what was done to some memories: they are gone for good."""
    for path in _list_newest_first(app):
        if {each.id.rpartition("-")[2] for each in _load(path)[1]} & {name.rpartition("-")[2] for name in ids}:
            os.unlink(path)


def _list_batches(app: App) -> Iterator[tuple[str, BatchSummary, list[TouchedFile]]]:
    """The batches that did something that still stands, the newest first."""
    for path in _list_newest_first(app):
        head, touched = _load(path)
        if any(not _is_before(app, each) for each in touched):
            yield path, _summarise_batch(path, head, touched), touched


def _check_unchanged(app: App, done: BatchSummary, touched: Sequence[TouchedFile]) -> None:
    moved = [each.path for each in touched if not _is_before(app, each) and _sum(_read_now(app, each)) != each.after]
    if moved:
        raise ChangedSinceBatch(done.verb, moved)


def _is_before(app: App, each: TouchedFile) -> bool:
    """Whether a file is as it was before the batch. A new one that is gone may only have another name."""
    now = _sum(_read_now(app, each))
    if now != _sum_of(each.before):
        return False
    return each.before is not None or each.after == GONE or not _is_elsewhere(app, each)


def _is_elsewhere(app: App, each: TouchedFile) -> bool:
    return any(entry.path != f"{each.place}/{each.path}" for entry in app.index.select(Select(ids=(each.id,))))


def _undo(app: App, touched: Sequence[TouchedFile]) -> None:
    # What comes back comes before what goes: a kill in between loses nothing, and undoing again goes on.
    for each in sorted(touched, key=lambda one: one.before is None):
        place = _place(app, Scope(each.scope), each.place)
        current = _sum(_read_now(app, each))
        if current == _sum_of(each.before):
            continue
        with lock_folder(place):
            before = None if each.before is None else each.before.encode("utf-8", "surrogateescape")
            swap_file(place, each.path, before, then=current)


def _read_now(app: App, each: TouchedFile) -> bytes | None:
    return _read(_place(app, Scope(each.scope), each.place), each.path)


def _place(app: App, scope: Scope, place: str) -> WritableFolder:
    if place == "page":
        return WritableFolder(root=app.folder)
    return WritableFolder(root=os.path.join(app.root_of(scope), place), private=place == CANDIDATES)


def _load(path: str) -> tuple[dict[str, Any], list[TouchedFile]]:
    """A batch as it was written down: of each file the first `before` and the last `after`, in the order touched."""
    with open(path, encoding="utf-8", errors="replace") as file:
        rows = [row for row in map(_parse_line, file) if row]
    head = rows[0] if rows and "verb" in rows[0] else {}
    touches: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows[1:] if head else ():
        done = touches.setdefault((str(row["scope"]), str(row["place"]), str(row["path"])), [])
        if not row.get("refused"):
            done.append(row)
        elif done:
            done.pop()
    return head, [
        TouchedFile(
            scope=scope, place=place, path=path, id=str(done[-1]["id"]),
            before=done[0].get("before"), after=str(done[-1].get("after")),
        )
        for (scope, place, path), done in touches.items()
        if done
    ]  # fmt: skip


def _parse_line(line: str) -> dict[str, Any]:
    """A line; nothing where a write was cut short."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    whole = isinstance(row, dict) and ("verb" in row or {"scope", "place", "path", "id"} <= row.keys())
    return row if whole else {}


def _summarise_batch(path: str, head: dict[str, Any], touched: Sequence[TouchedFile]) -> BatchSummary:
    ids = tuple(dict.fromkeys(each.id for each in touched))
    name = os.path.basename(path).removesuffix(ENDING)
    return BatchSummary(id=name, verb=str(head["verb"]), at=str(head.get("at", "")), ids=ids)


def _list_newest_first(app: App) -> list[str]:
    folder = os.path.join(app.folder, PLACE)
    try:
        names = sorted((name for name in os.listdir(folder) if name.endswith(ENDING)), reverse=True)
    except FileNotFoundError:
        return []
    return [os.path.join(folder, name) for name in names]


def _make_room(app: App) -> None:
    for path in _list_newest_first(app)[KEPT - 1 :]:
        os.unlink(path)


def _append(path: str, data: bytes) -> None:
    folder, name = os.path.split(path)
    with translate_os_errors(path), open_folder(WritableFolder(root=folder, private=True), (), make=True) as where:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=where)
        size = os.fstat(fd).st_size
        try:
            # A full disk takes part of a line: half of one is worse than none.
            write_all(fd, data)
            os.fsync(fd)
        except OSError:
            os.ftruncate(fd, size)
            raise
        finally:
            os.close(fd)


def _read(place: WritableFolder, path: str) -> bytes | None:
    return read_file(place, path)


def _sum(data: bytes | None) -> str:
    return GONE if data is None else sha256(data).hexdigest()


def _sum_of(text: str | None) -> str:
    return GONE if text is None else sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _words(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _note(app: App, done: BatchSummary) -> None:
    data = {"verb": done.verb, "ids": list(done.ids), "text": f"undone: {done.verb} {' '.join(done.ids[:8])}"}
    app.journal.append([Event(client="holdfast", name="batch.undone", data=data)])
