"""What an agent should know for a goal, and the working buffer."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from holdfast.core.errors import BadRequest, HoldfastError, NotFound
from holdfast.core.fence import make_inert
from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry, MemoryType
from holdfast.core.path_scope import applies_to
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.inject.buffer_file import drop_buffer_notes, load
from holdfast.inject.start_text import ACTIVE
from holdfast.recall.citations.stale_citations import describe_drift
from holdfast.recall.diversity import Found
from holdfast.recall.pack import MemoryPack, PackLine, build_pack, item_text, never_stale
from holdfast.recall.pack import pack_to_json as form
from holdfast.recall.packable import Counts, keep_first_reason, packable_filter
from holdfast.recall.relevance import find_relevant, held_at_filter
from holdfast.recall.scope_cache import find_user_candidates
from holdfast.recall.validity import parse_as_of
from holdfast.records.working_buffer import BufferedSession, render_buffer
from holdfast.system.safe_write import put_file
from holdfast.trust.sync_authors import SyncAuthors
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.trust.visibility import filter_visible_to_agents
from holdfast.workspace import App, need_person

__all__ = [
    "BufferedSession",
    "MemoryPack",
    "PackLine",
    "Reach",
    "activate_pack",
    "build_goal_pack",
    "drop_notes",
    "filter_visible_to_agents",
    "item_text",
    "pack_json",
    "prompt_of",
    "read_buffer",
    "render_buffer",
]

HERE = "holds for this path"

Reach = Callable[[App, Sequence[Entry]], list[Entry]]


class NoSuchNote(NotFound):
    """Words that stand nowhere in the buffer."""

    def __init__(self, words: str) -> None:
        super().__init__(f"No note of the buffer holds {words!r}.", "`holdfast session buffer` shows them.")


class NoGoal(BadRequest):
    """A pack for nothing."""

    def __init__(self) -> None:
        super().__init__("There is no goal to pack for.", 'give it in quotes: holdfast pack "add caching to the API".')


def build_goal_pack(
    app: App, goal: str, *, path: str | Sequence[str] = "", task: str | None = None, budget: int = 0, as_of: str = "",
    reach: Reach = filter_visible_to_agents,
) -> MemoryPack:  # fmt: skip
    """The memory that matters to a goal, and what holds at some paths, within a budget of tokens: as agents get it.

    With `task`, its kind or an empty text, it is what binds somebody who carries a task out. Beside it, unless
    `packs.unconfirmed` is off, what the user said and has not accepted yet, marked. With `as_of`, what held then.
    """
    if not goal.strip():
        raise NoGoal
    when = parse_as_of(as_of, app.clock.now()) if as_of else None
    said = find_user_candidates(app) if app.settings["packs.unconfirmed"] and when is None else frozenset()
    counts = packable_filter(app.index, said) if when is None else held_at_filter(app.index, when)
    paths = [_relative_path(app, each) for each in ([path] if isinstance(path, str) else path) if each]
    found = [*_find_at_paths(app, paths, counts), *find_relevant(goal, app.index, said, when=when)]
    if task is not None:
        found += [*_find_for_task_kind(app, task, counts), *(_find_invariants(app, counts) if paths else ())]
    found = keep_first_reason(found)
    kept = {id(entry) for entry in reach(app, [entry for entry, _ in found])}
    chosen = [pair for pair in found if id(pair[0]) in kept]
    stale = never_stale if when else partial(describe_drift, app.workspace, base=app.base)
    tokens = budget or int(app.settings["packs.budget_tokens"])
    pack = build_pack(chosen, tokens, stale=stale, sender=SyncAuthors(app).of, for_task=task is not None)
    return replace(pack, held_back=len(found) - len(chosen))


def prompt_of(pack: MemoryPack) -> str:
    """A pack as it is put before an agent: no memory in it can pass for a tag or steer a terminal."""
    return make_inert(pack.to_prompt())


def pack_json(pack: MemoryPack) -> dict[str, object]:
    """A pack for programs."""
    return {**form(pack), "prompt": prompt_of(pack)}


def activate_pack(app: App, pack: MemoryPack) -> str:
    """Make a pack that of the current run: its path in the workspace, or an empty text where it was not written.

    Clients' instructions point at the file. One that git tracks is not ours to fill: others would get it.
    """
    if not app.workspace:
        return ""
    if TrackedFiles(app).holds(ACTIVE):
        app.notices.append(f"{FOLDER}/{ACTIVE} is not written: git tracks it. `git rm --cached` takes it out.")
        return ""
    text = prompt_of(pack)
    try:
        put_file(os.path.join(app.folder, ACTIVE), f"{text}\n".encode("utf-8", "replace") if text else b"")
    except HoldfastError as error:
        app.notices.append(f"The pack is not in {FOLDER}/{ACTIVE}: {error}")
        return ""
    return f"{FOLDER}/{ACTIVE}"


def read_buffer(app: App) -> list[BufferedSession]:
    """The sessions in the working buffer."""
    return load(app)


def drop_notes(app: App, words: str) -> list[str]:
    """Take what was noted wrongly out of the buffer; the quotes that went."""
    need_person(app, f"session buffer drop {words!r}")
    quotes = drop_buffer_notes(app, words)
    if not quotes:
        raise NoSuchNote(words)
    return quotes


def _relative_path(app: App, path: str) -> str:
    """A path as the workspace knows it; a folder keeps the slash at its end."""
    if "\0" in path:
        return path
    root = os.path.realpath(app.workspace or os.getcwd())
    whole = os.path.realpath(os.path.join(root, path))
    relative = os.path.relpath(whole, root).replace(os.sep, "/")
    return relative + "/" if path.endswith("/") or os.path.isdir(whole) else relative


def _find_at_paths(app: App, paths: Sequence[str], counts: Counts) -> Iterator[Found]:
    """What holds at some paths and not everywhere: constraints first, then dead ends, then the rest."""
    if not paths:
        return
    scoped = app.index.select(Select(scoped=True))
    found = [entry for entry in scoped if counts(entry) and _applies_to_paths(entry.memory.paths, paths)]
    order = {MemoryType.INVARIANT: 0, MemoryType.FAILURE: 1, MemoryType.DECISION: 2}
    yield from ((entry, HERE) for entry in sorted(found, key=lambda entry: order.get(entry.memory.type, 3)))


def _applies_to_paths(globs: Sequence[str], paths: Sequence[str]) -> bool:
    """Whether globs hold for one of some paths; for a folder, also for something below it."""
    return any(
        applies_to(globs, path) or (path.endswith("/") and any(glob.startswith(path) for glob in globs))
        for path in paths
    )


def _find_for_task_kind(app: App, task: str, counts: Counts) -> Iterator[Found]:
    """The patterns for a kind of task: those that carry it as a tag or as their category."""
    kind = task.strip().casefold()
    for entry in app.index.select(Select(types=(MemoryType.PATTERN,))):
        named = {tag.casefold() for tag in (*entry.memory.tags, entry.memory.category)}
        if kind and kind in named and counts(entry):
            yield entry, f"is for tasks of the kind {task.strip()}"


def _find_invariants(app: App, counts: Counts) -> Iterator[Found]:
    """The invariants that hold at every path."""
    everywhere = app.index.select(Select(scoped=False, types=(MemoryType.INVARIANT,)))
    return ((entry, "holds everywhere") for entry in everywhere if counts(entry))
