"""What nearly every telling asks of the index, written down beside it: good for as long as no file moves.

Which memories hold everywhere, and which at which paths, takes a look at every row; a cold hook cannot afford that
ten times a minute. So it is kept with a check over the stat of every file. While the check agrees, the index is up
to date too; else it is refreshed first, and the answers are rebuilt.
"""

import os
import time
from _blake2 import blake2b
from collections.abc import Sequence
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
    from holdfast.index.sqlite.sqlite_index import SqliteIndex
    from holdfast.records.injection_marks import Marks
    from holdfast.trust.standing import Statements

VERSION = 2
INDEX = "index.db"
# Of each type, the newest so many are weighed; whatever was used or pinned is too.
MOST_OF_A_KIND = 100
# More than any start has room for.
MOST_IMPORTANT = 150
# A file may change again within the grain of its clock, and the check would not see it.
SETTLED_NS = 2_000_000_000


class ScopeIds(Value):
    """Ids of memories: the most important ones first, those at some paths with their globs, the user's candidates.

    `accepted` counts the memories that hold.
    """

    important: tuple[str, ...] = ()
    accepted: int = 0
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
    def index(self) -> "SqliteIndex":
        """The index, up to date with the files. Events may be missing from it: no telling looks at them."""
        from holdfast.index.open_index import sqlite_index_of

        return self._trusted() or sqlite_index_of(self._app)

    @cached_property
    def statements(self) -> "Statements":
        """What became of what was said."""
        from holdfast.recall.statement_cache import load_statements

        return load_statements(self._app, self.check, lambda: self.index)

    @cached_property
    def marks(self) -> "Marks":
        """What a person said of memories that were told."""
        from holdfast.records.injection_marks import read_marks

        return read_marks(self._app)

    @cached_property
    def check(self) -> str:
        """A sum over the stat of every file that the index reads; empty while one of them may move unseen."""
        roots = [os.path.join(self._app.folder, name) for name in ("memory", "candidates")]
        beside = _stat_beside(self._app)
        return _compute_stamp([*roots, os.path.join(self._app.home, "memory")], beside) if beside else ""

    @cached_property
    def _kept(self) -> ScopeIds | None:
        found = read_json_cache(self._path)
        if not self.check or found.get("v") != VERSION or found.get("check") != self.check:
            return None
        try:
            return _from_json(found)
        except (KeyError, TypeError, ValueError):
            return None

    def _trusted(self) -> "SqliteIndex | None":
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
        from holdfast.index.open_index import sqlite_index_of

        check = self.check  # before the index is refreshed: what moves meanwhile is looked at next time
        found = _look_up_ids(self._app, sqlite_index_of(self._app), TrackedFiles(self._app))
        if check and self._settled():
            write_json_cache(self._path, {"v": VERSION, "check": check, **_to_json(found)})
        return found

    def _settled(self) -> bool:
        """Whether the index is on the disk: a power cut must not take back what the check vouches for."""
        from holdfast.index.open_index import index_path

        path = index_path(self._app)
        return _flush_file(f"{path}-wal") and _flush_file(path)


def find_user_candidates(app: App) -> frozenset[str]:
    """The ids of the candidates that the user said here, and that others did not bring."""
    return frozenset(entry.memory.id for entry in _select_user_candidates(app.index, TrackedFiles(app)))


def _look_up_ids(app: App, store: "SqliteIndex", tracked: TrackedFiles) -> ScopeIds:
    said = _select_user_candidates(store, tracked)
    own = frozenset(entry.memory.id for entry in said)
    return ScopeIds(
        important=tuple(_order_important(app, store)),
        accepted=store.count_accepted(),
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
    return [entry for entry in waiting if entry.memory.said_by is SaidBy.USER and not tracked.holds_candidate(entry)]


def _order_important(app: App, store: "IndexStore") -> list[str]:
    """What a session should hear of first, of all that is accepted and holds."""
    from holdfast.recall.importance import ImportanceSigns, rank_importance
    from holdfast.recall.packable import packable_filter
    from holdfast.records.injection_marks import read_marks
    from holdfast.records.memory_use import read_use_counts

    used = {name: count for name, (_, count) in read_use_counts(app).items() if count}
    pinned = frozenset(name for name, mark in read_marks(app).items() if mark.always)
    found: dict[str, Entry] = {}
    for kind in MemoryType:
        meant = Select(types=(kind,), statuses=(Status.ACCEPTED,), newest=MOST_OF_A_KIND)
        found |= {entry.memory.id: entry for entry in store.select(meant)}
    if others := tuple(name for name in (*used, *pinned) if name not in found):
        found |= {entry.memory.id: entry for entry in store.select(Select(ids=others, statuses=(Status.ACCEPTED,)))}
    holding = filter(packable_filter(store), found.values())
    ranked = rank_importance(holding, app.clock.now(), ImportanceSigns(used=used, pinned=pinned))
    return [entry.memory.id for entry in ranked[:MOST_IMPORTANT]]


def _to_json(answers: ScopeIds) -> dict[str, Any]:
    return {
        "important": answers.important,
        "accepted": answers.accepted,
        "scoped": answers.scoped,
        "said": sorted(answers.user_candidates),
        "passages": answers.passages,
    }


def _from_json(found: Any) -> ScopeIds:
    return ScopeIds(
        important=tuple(found["important"]),
        accepted=int(found["accepted"]),
        scoped=tuple((name, tuple(globs)) for name, globs in found["scoped"]),
        user_candidates=frozenset(found["said"]),
        passages=int(found["passages"]),
    )


def _stat_beside(app: App) -> list[tuple[object, ...]]:
    """What the answers rest on beside the files: the user's own registry, and the day. Nothing where there is none.

    No repository can ship answers that fit the registry.
    """
    ours = app.registry.stat(app.workspace_id)
    return [*ours, (app.clock.now().date().isoformat(),)] if ours else []


def _compute_stamp(roots: Sequence[str], beside: Sequence[tuple[object, ...]]) -> str:
    seen, latest = list(beside), 0
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
