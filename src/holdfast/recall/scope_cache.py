"""What nearly every telling asks of the index, written down beside it: good for as long as no file moves.

Which memories hold everywhere, and which at which paths, takes a look at every row; a cold hook cannot afford that
ten times a minute. So it is kept with a check over the stat of every file. While the check agrees, the index is up
to date too; else it is refreshed first, and the answers are rebuilt.
"""

import os
import time
from _blake2 import blake2b
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from marshal import dumps
from typing import TYPE_CHECKING, Any

from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Entry, MemoryType, SaidBy, Status
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.index_store import IndexStore

VERSION = 1
INDEX = "index.db"
MOST_OF_A_KIND = 20
EVERYWHERE = (MemoryType.INVARIANT, MemoryType.DECISION, MemoryType.FAILURE)
# A file may change again within the grain of its clock, and the check would not see it.
SETTLED_NS = 2_000_000_000


class ScopeIds(Value):
    """Ids of memories: those that hold everywhere, those at some paths with their globs, and the user's candidates."""

    everywhere: tuple[str, ...] = ()
    scoped: tuple[tuple[str, tuple[str, ...]], ...] = ()
    user_candidates: frozenset[str] = frozenset()
    passages: int = 0


class ScopeCache:
    """The answers, and the index up to date; each looked up when it is first asked for."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._path = os.path.join(app.folder, "state", "known.json")

    @cached_property
    def answers(self) -> ScopeIds:
        """What holds where, of the files as they are now."""
        return self._kept or self._anew()

    @cached_property
    def index(self) -> "IndexStore":
        """The index, up to date with the files. Events may be missing from it: no telling looks at them."""
        return self._trusted() or self._app.index

    @cached_property
    def check(self) -> str:
        """A sum over the stat of every file that the index reads; empty while one of them may move unseen."""
        roots = [os.path.join(self._app.folder, name) for name in ("memory", "candidates")]
        return _compute_stamp(
            [*roots, os.path.join(self._app.home, "memory")], os.path.join(self._app.home, "workspaces")
        )

    @cached_property
    def _kept(self) -> ScopeIds | None:
        found = read_json_cache(self._path)
        if not self.check or found.get("v") != VERSION or found.get("check") != self.check:
            return None
        try:
            return _from_json(found)
        except (KeyError, TypeError, ValueError):
            return None

    def _trusted(self) -> "IndexStore | None":
        """The index as it is, if it was up to date with the same files; not one that lost a part since."""
        kept = self._kept
        if kept is None:
            return None
        path = os.path.join(self._app.folder, INDEX)
        if not os.access(path, os.R_OK | os.W_OK):
            return None
        from holdfast.index.sqlite.sqlite_index import SqliteIndex

        try:
            store = SqliteIndex.open(path)
            return store if store.frequencies(())[1] == kept.passages else None
        except HoldfastError:
            return None

    def _anew(self) -> ScopeIds:
        check = self.check  # before the index is refreshed: what moves meanwhile is looked at next time
        found = _look_up_ids(self._app.index, TrackedFiles(self._app))
        if check and self._settled():
            write_json_cache(self._path, {"v": VERSION, "check": check, **_to_json(found)})
        return found

    def _settled(self) -> bool:
        """Whether the index is on the disk: a power cut must not take back what the check vouches for."""
        from holdfast.index.open_index import index_path

        path = index_path(self._app)
        return _flush_file(f"{path}-wal") and _flush_file(path)


def find_user_candidates(app: App) -> frozenset[str]:
    """The ids of the candidates that the user said here, and that did not come by git."""
    return frozenset(entry.memory.id for entry in _select_user_candidates(app.index, TrackedFiles(app)))


def _look_up_ids(store: "IndexStore", tracked: TrackedFiles) -> ScopeIds:
    said = _select_user_candidates(store, tracked)
    own = frozenset(entry.memory.id for entry in said)
    return ScopeIds(
        everywhere=tuple(_order_everywhere(store, said)),
        scoped=tuple(
            (entry.memory.id, entry.memory.paths)
            for entry in store.select(Select(scoped=True, statuses=(Status.ACCEPTED, Status.CANDIDATE)))
            if entry.memory.status is Status.ACCEPTED or entry.memory.id in own
        ),
        user_candidates=own,
        passages=store.frequencies(())[1],
    )


def _select_user_candidates(store: "IndexStore", tracked: TrackedFiles) -> list[Entry]:
    waiting = store.select(Select(statuses=(Status.CANDIDATE,)))
    return [entry for entry in waiting if entry.memory.said_by is SaidBy.USER and not tracked.holds(entry.path)]


def _order_everywhere(store: "IndexStore", said: Sequence[Entry]) -> Iterator[str]:
    """Newest first: invariants, then decisions, then dead ends; of each what is accepted before what is not yet."""
    for kind in EVERYWHERE:
        meant = Select(scoped=False, types=(kind,), statuses=(Status.ACCEPTED,), newest=MOST_OF_A_KIND)
        unconfirmed = [entry for entry in said if entry.memory.type is kind and not entry.memory.paths]
        yield from _order_newest(store.select(meant))
        yield from _order_newest(unconfirmed)[:MOST_OF_A_KIND]


def _order_newest(entries: Iterable[Entry]) -> list[str]:
    return [entry.memory.id for entry in sorted(entries, key=lambda entry: entry.memory.updated, reverse=True)]


def _to_json(answers: ScopeIds) -> dict[str, Any]:
    return {
        "everywhere": answers.everywhere,
        "scoped": answers.scoped,
        "said": sorted(answers.user_candidates),
        "passages": answers.passages,
    }


def _from_json(found: Any) -> ScopeIds:
    return ScopeIds(
        everywhere=tuple(found["everywhere"]),
        scoped=tuple((name, tuple(globs)) for name, globs in found["scoped"]),
        user_candidates=frozenset(found["said"]),
        passages=int(found["passages"]),
    )


def _compute_stamp(roots: Sequence[str], registry: str) -> str:
    try:
        # Of the user's own registry: no repository can ship answers that fit it.
        ours = os.stat(registry)
    except OSError:
        return ""
    seen: list[tuple[object, ...]] = [(ours.st_ino, ours.st_ctime_ns)]
    latest = 0
    for root in roots:
        latest = max(latest, _walk(root, None, seen))
    # Version 2: later ones write the same values in more ways than one.
    return blake2b(dumps(seen, 2), digest_size=16).hexdigest() if latest < time.time_ns() - SETTLED_NS else ""


def _walk(name: str, above: int | None, seen: list[tuple[object, ...]]) -> int:
    """Note everything below a folder; when the last of it changed."""
    latest, inner = 0, []
    try:
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if above is not None else 0), dir_fd=above)
    except OSError as error:
        seen.append((name, error.errno))
        return 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                stat = entry.stat(follow_symlinks=False)
                changed = stat.st_ctime_ns
                seen.append((entry.name, stat.st_size, stat.st_mtime_ns, changed, stat.st_ino, stat.st_mode))
                if changed > latest:
                    latest = changed
                if stat.st_mode & 0o170000 == 0o040000:
                    inner.append(entry.name)
        for each in inner:
            latest = max(latest, _walk(each, folder, seen))
    except OSError as error:
        seen.append((name, error.errno, time.time_ns()))
    finally:
        os.close(folder)
    return latest


def _flush_file(path: str) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return path.endswith("-wal")
    except OSError:
        return False
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    return True
