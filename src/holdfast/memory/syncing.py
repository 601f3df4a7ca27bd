"""A workspace and what its team has of it, brought together: nothing is overwritten that only one side knows.

`state/sync/<name>.json` holds what both sides had last time; without it, what differs is taken for changed on both.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any

from holdfast.domain.errors import BadRequest, Conflict
from holdfast.domain.event import BEGINNING, Cursor, Event, Record
from holdfast.domain.memory import Entry, Memory, MemoryFile, Scope, Status
from holdfast.domain.value import Value, replace
from holdfast.memory.allow import registered
from holdfast.memory.entries import CANDIDATES, MEMORY
from holdfast.ports.shared import Held, Shared
from holdfast.share.merge import candidate_name, text_of
from holdfast.share.syncing import Does, Step, steps
from holdfast.vault.disk import Place
from holdfast.vault.files import IdTaken
from holdfast.vault.parse import parse
from holdfast.vault.write import AlreadyThere, Moved, locked, put_file, read_file, swap_file
from holdfast.wiring.app import App
from holdfast.wiring.rendering import in_step

__all__ = ["BOTH", "PULL", "PUSH", "Clash", "Direction", "Synced", "What", "event_of", "sync"]

PLACE = os.path.join("state", "sync")
BOTH, PULL, PUSH = "both", "pull", "push"
Direction = str
ROUNDS = 3
CHUNK = 500
EVENT = "event"
OURS = frozenset({Does.PUSH, Does.WITHDRAW})
THEIRS = frozenset({Does.PULL, Does.DROP, Does.CLASH})
CLASH_OF, CLASH_WITH = "clash_of", "clash_with"


class AnotherSync(Conflict):
    """Two at once."""

    def __init__(self) -> None:
        super().__init__("Another sync is at work here.", "wait until it is done; it does the same.")


class NoWorkspaceToSync(BadRequest):
    """Nothing here that a team could have."""

    def __init__(self) -> None:
        super().__init__("Only a workspace is shared with a team.", "run it inside one.")


class Clash(Value):
    """A file that both sides changed: theirs stands, and ours waits as these candidates. `author`: who changed it."""

    path: str
    author: str
    candidates: tuple[str, ...]


class Synced(Value):
    """What a sync did. `left`: files that moved under our hands again and again; the next sync takes them up."""

    pulled: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()
    clashes: tuple[Clash, ...] = ()
    events: int = 0
    left: tuple[str, ...] = ()
    planned: tuple[Step, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything moved here."""
        return bool(self.pulled or self.clashes)


class What(Value):
    """What is brought together: which way, whose memory, candidates too, events too."""

    direction: Direction = BOTH
    scope: Scope = Scope.WORKSPACE
    places: tuple[str, ...] = (MEMORY,)
    events: bool = False


ALL = What()


def sync(app: App, shared: Shared, what: What = ALL, *, dry_run: bool = False) -> Synced:
    """Bring memory (and, where asked for, candidates and events) together with what the team has."""
    if not app.workspace:
        raise NoWorkspaceToSync
    with _alone(app, shared.name):
        state = _State(app, shared.name)
        if dry_run:
            return Synced(planned=tuple(_planned(app, shared.files(), state, what)))
        return _Syncing(app, shared, state, what).run()


class _Syncing:
    """One sync, in rounds: what moved under our hands is looked at again."""

    def __init__(self, app: App, shared: Shared, state: "_State", what: What) -> None:
        self._app, self._shared, self._state, self._what = app, shared, state, what
        self._pulled: dict[str, None] = {}
        self._pushed: dict[str, None] = {}
        self._clashes: list[Clash] = []

    def run(self) -> Synced:
        """All of it."""
        left: list[str] = []
        for _ in range(ROUNDS):
            there, clashes = self._shared.files(), len(self._clashes)
            left = [each.path for each in self._steps(there) if not self._take(each, there.get(each.path))]
            self._state.keep()
            if self._pulled or self._clashes:
                in_step(self._app)
            # A clash left candidates here, which the others may want to see.
            if not left and clashes == len(self._clashes):
                break
        sent = self._send() if self._what.events and self._what.direction in (BOTH, PUSH) else 0
        return Synced(
            pulled=tuple(self._pulled), pushed=tuple(self._pushed), clashes=tuple(self._clashes), events=sent,
            left=tuple(left),
        )  # fmt: skip

    def _steps(self, there: Mapping[str, Held]) -> list[Step]:
        return _planned(self._app, there, self._state, self._what)

    def _take(self, step: Step, held: Held | None) -> bool:
        """Take one step; False where a side moved meanwhile."""
        if step.does is Does.AGREE:
            self._state.base[step.path] = step.here
            return True
        if step.does in OURS:
            return self._push(step)
        data = self._shared.read(step.path) if step.there else None
        if _sum(data) != step.there:
            return False
        kept = self._kept(step, held) if step.does is Does.CLASH else ()
        if not _put(self._app, self._what.scope, step, data):
            return False
        self._agreed(step.path, step.there)
        self._pulled[step.path] = None
        if step.does is Does.CLASH:
            self._clashes.append(Clash(path=step.path, author=held.author if held else "", candidates=kept))
        return True

    def _push(self, step: Step) -> bool:
        data = self._read(step.path) if step.here else None
        if _sum(data) != step.here or self._shared.swap(step.path, data, step.there):
            return False
        self._agreed(step.path, step.here)
        self._pushed[step.path] = None
        return True

    def _agreed(self, path: str, sha: str) -> None:
        if sha:
            self._state.base[path] = sha
        else:
            self._state.base.pop(path, None)

    def _kept(self, step: Step, held: Held | None) -> tuple[str, ...]:
        """Our text of a file that is about to be replaced, as candidates; again and again the same ones."""
        theirs = {e.memory.id: text_of(e.memory).sum for e in self._parsed(self._shared.read(step.path), step).entries}
        ours = self._parsed(self._read(step.path), step).entries
        return tuple(
            self._candidate(entry, held) for entry in ours if theirs.get(entry.memory.id) != text_of(entry.memory).sum
        )

    def _candidate(self, entry: Entry, held: Held | None) -> str:
        memory = entry.memory
        name = candidate_name(self._shared.name, memory.id, text_of(memory).sum)
        author = (held.author if held else "") or "somebody"
        why = f"{author} changed {memory.id} at the same time; theirs stands"
        made: Memory = replace(
            memory, id=name, status=Status.CANDIDATE, because=why,
            extra={**memory.extra, CLASH_OF: memory.id, CLASH_WITH: self._shared.name},
        )  # fmt: skip
        with suppress(IdTaken):
            self._app.candidates.add(made)
        return name

    def _parsed(self, data: bytes | None, step: Step) -> MemoryFile:
        return parse(data or b"", path=step.path.partition("/")[2], scope=self._what.scope)

    def _read(self, path: str) -> bytes | None:
        return read_file(*_place(self._app, self._what.scope, path))

    def _send(self) -> int:
        """Events that the team's journal has not; a chunk that was sent is not sent again."""
        sent = 0
        chunk: list[Record] = []
        for record in self._app.journal.read(self._state.cursor):
            chunk.append(record)
            if len(chunk) >= CHUNK:
                sent += self._send_chunk(chunk)
                chunk = []
        return sent + (self._send_chunk(chunk) if chunk else 0)

    def _send_chunk(self, chunk: Sequence[Record]) -> int:
        events = [event_of(record, record.id) for record in chunk if record.kind == EVENT]
        receipts = self._shared.append(events) if events else ()
        self._state.cursor = chunk[-1].after
        self._state.keep()
        return sum(receipt.fresh for receipt in receipts)


class _State:
    """What both sides had last time, and how far the journal is sent."""

    def __init__(self, app: App, name: str) -> None:
        self._path = os.path.join(app.folder, PLACE, f"{_slug(name)}.json")
        held = _loaded(self._path)
        base = held.get("base")
        self.base: dict[str, str] = (
            {str(path): str(sha) for path, sha in base.items()} if isinstance(base, dict) else {}
        )
        at = held.get("journal")
        whole = isinstance(at, list) and len(at) == 2 and all(isinstance(each, int) for each in at)
        self.cursor = Cursor(segment=at[0], offset=at[1]) if whole and isinstance(at, list) else BEGINNING

    def keep(self) -> None:
        """Write it down."""
        held = {"v": 1, "base": self.base, "journal": [self.cursor.segment, self.cursor.offset]}
        put_file(self._path, (json.dumps(held, sort_keys=True) + "\n").encode())


def _planned(app: App, there: Mapping[str, Held], state: _State, what: What) -> list[Step]:
    meant = tuple(f"{place}/" for place in what.places)
    here = {path: sha for path, sha in _files(app, what.scope).items() if path.startswith(meant)}
    theirs = {path: held.sha256 for path, held in there.items() if path.startswith(meant)}
    base = {path: sha for path, sha in state.base.items() if path.startswith(meant)}
    found = steps(base, here, theirs)
    left_out = {BOTH: frozenset[Does](), PULL: OURS, PUSH: THEIRS}[what.direction]
    return [each for each in found if each.does not in left_out]


def _files(app: App, wanted: Scope) -> dict[str, str]:
    """The files of a scope with their sums, by paths that begin with their place."""
    app.refresh()
    return {path: source.sha256 for (scope, path), source in app.index.sources().items() if scope == wanted}


def _place(app: App, scope: Scope, path: str) -> tuple[Place, str]:
    place, _, inner = path.partition("/")
    return Place(root=os.path.join(app.root_of(scope), place), private=place == CANDIDATES), inner


def _put(app: App, scope: Scope, step: Step, data: bytes | None) -> bool:
    """Put the team's bytes in the place of ours, if those are still as we saw them."""
    place, inner = _place(app, scope, step.path)
    try:
        with locked(place):
            swap_file(place, inner, data, then=step.here)
    except (Moved, AlreadyThere):
        return False
    ours = scope is Scope.WORKSPACE and step.path.startswith(f"{MEMORY}/")
    if data is not None and ours and registered(app) is not None:
        # The team took it: it may reach agents as what the user wrote may.
        app.registry.learn(app.workspace_id, [_sum(data)])
    return True


def event_of(record: Record, key: str) -> Event:
    """What a record says, as an event for another journal, known there by this key."""
    data = record.data
    inside = data.get("data")
    return Event(
        client=str(data.get("client", "")), name=str(data.get("name", "")), session=str(data.get("session", "")),
        key=key, ts=record.ts, data=inside if isinstance(inside, dict) else {},
    )  # fmt: skip


@contextmanager
def _alone(app: App, name: str) -> Iterator[None]:
    folder = os.path.join(app.folder, PLACE)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    fd = os.open(
        os.path.join(folder, f"{_slug(name)}.lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
    )
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AnotherSync from None
        yield
    finally:
        os.close(fd)


def _loaded(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            held = json.load(file)
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _slug(name: str) -> str:
    shown = "".join(each if each.isalnum() else "-" for each in name)[:40]
    return f"{shown}-{sha256(name.encode()).hexdigest()[:8]}"


def _sum(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
