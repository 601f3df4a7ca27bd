"""Bring the index up to date with vaults, candidates and journal; from nothing, that is a rebuild."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from holdfast.core.index_store import IndexStore
from holdfast.core.journal_store import Readable
from holdfast.core.memory import MemoryFile, Scope
from holdfast.core.search import Change, Source, SourceChange
from holdfast.core.value import Value, replace
from holdfast.core.vault_store import Vault
from holdfast.index.entry_passages import build_passage
from holdfast.index.event_rows import JournalStep, read_steps
from holdfast.index.plan_changes import IndexPlan, Key, Known, Stamps, plan_sync

AT_ONCE = 1000
TOLD_EVERY = 100

Progress = Callable[[str, int, int], None]


class IndexedVault(Value):
    """A vault, and the name that its paths begin with in the index: `memory`, `candidates`."""

    name: str
    vault: Vault


class IndexSyncResult(Value):
    """What moved: files read, of these changed; files gone; events added and forgotten. And what to tell the user."""

    looked: int = 0
    changed: int = 0
    removed: int = 0
    events: int = 0
    forgotten: int = 0
    notices: tuple[str, ...] = ()


class VanishedFile(Value):
    """A file that the index knows and no vault has."""

    key: Key


Move = SourceChange | VanishedFile | JournalStep


def sync_index(
    store: IndexStore, places: Sequence[IndexedVault], journal: Readable, progress: Progress | None = None
) -> IndexSyncResult:
    """Read what moved and apply it: all at once, or when there is much, in batches that an interruption keeps."""
    stamps, notices = _stamps(places)
    done = sync_files(store, places, journal, (store.sources(), stamps), progress)
    return replace(done, notices=notices)


def sync_files(
    store: IndexStore, places: Sequence[IndexedVault], journal: Readable, compared: tuple[Known, Stamps],
    progress: Progress | None = None,
) -> IndexSyncResult:  # fmt: skip
    """The same for some files: what the index knows of these alone, and the stamps of those that are there."""
    known, stamps = compared
    todo = plan_sync(known, stamps)
    files = _report_progress(
        _file_moves(todo, known, stamps, places), "files", len(todo.look) + len(todo.removed), progress
    )
    events = _report_progress(read_steps(journal, store.cursor()), "events", 0, progress)
    done = IndexSyncResult(looked=len(todo.look))
    for batch in _batches(chain(files, events)):
        change = _change(batch)
        store.apply(change)
        done = _add_counts(done, change)
    return done


def _stamps(places: Sequence[IndexedVault]) -> tuple[Stamps, tuple[str, ...]]:
    """Every file by scope and index path; and notices of names that no text can hold."""
    found: dict[Scope, dict[str, str]] = {}
    unnamed: list[str] = []
    for place in places:
        stamps = {f"{place.name}/{path}": stamp for path, stamp in place.vault.stamps().items()}
        unnamed += _unencodable_paths(stamps)
        found.setdefault(place.vault.scope, {}).update(stamps)
    for files in found.values():
        for path in unnamed:
            files.pop(path, None)
    return found, tuple(f"The file {path!r} is not indexed: its name is not UTF-8." for path in unnamed)


def _unencodable_paths(paths: Iterable[str]) -> list[str]:
    try:
        "".join(paths).encode()
    except UnicodeEncodeError:
        return [path for path in paths if path != path.encode("utf-8", "replace").decode()]
    return []


def _file_moves(todo: IndexPlan, known: Known, stamps: Stamps, places: Sequence[IndexedVault]) -> Iterator[Move]:
    vaults = {(place.vault.scope, place.name): place.vault for place in places}
    yield from (VanishedFile(key=key) for key in todo.removed)
    for scope, path in todo.look:
        name, _, inside = path.partition("/")
        file = vaults[scope, name].read(inside)
        move = _compare_file(file, (scope, path), stamps[scope][path], known.get((scope, path)))
        if move is not None:
            yield move


def _compare_file(file: MemoryFile | None, key: Key, stamp: str, known: Source | None) -> Move | None:
    """What reading a file means for the index: the hash decides; None when all is as it was."""
    if file is None:
        return VanishedFile(key=key) if known else None
    scope, path = key
    source = Source(scope=scope, path=path, stamp=stamp, sha256=file.sha256)
    if known is not None and known.sha256 == file.sha256:
        return SourceChange(source=source, passages=None) if known.stamp != stamp else None
    return SourceChange(
        source=source,
        passages=tuple(build_passage(replace(entry, path=path)) for entry in file.entries),
        problems=tuple(replace(problem, path=path) for problem in file.problems),
    )


def _report_progress(moves: Iterable[Move], what: str, total: int, progress: Progress | None) -> Iterator[Move]:
    for count, move in enumerate(moves, 1):
        yield move
        if progress is not None and not count % TOLD_EVERY:
            progress(what, count, total)


def _batches(moves: Iterator[Move]) -> Iterator[Sequence[Move]]:
    while batch := list(islice(moves, AT_ONCE)):
        yield batch


def _change(moves: Sequence[Move]) -> Change:
    walked = [move for move in moves if isinstance(move, JournalStep)]
    return Change(
        sources=tuple(move for move in moves if isinstance(move, SourceChange)),
        dropped=tuple(move.key for move in moves if isinstance(move, VanishedFile)),
        events=tuple(step.event for step in walked if step.event is not None),
        spoken=tuple(each for step in walked for each in step.spoken),
        forgotten=tuple(gone for step in walked for gone in step.forgotten),
        cursor=walked[-1].after if walked else None,
    )


def _add_counts(done: IndexSyncResult, change: Change) -> IndexSyncResult:
    return replace(
        done,
        changed=done.changed + sum(source.passages is not None for source in change.sources),
        removed=done.removed + len(change.dropped),
        events=done.events + len(change.events),
        forgotten=done.forgotten + len(change.forgotten),
    )
