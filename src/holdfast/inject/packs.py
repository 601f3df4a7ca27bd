"""What an agent should know for a goal, and the working buffer."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from functools import partial

from holdfast.core.errors import BadRequest, HoldfastError, NotFound
from holdfast.core.fence import make_inert
from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry, MemoryType
from holdfast.core.passage_store import MEMORY
from holdfast.core.path_scope import applies_to
from holdfast.core.search import Question, Select
from holdfast.core.value import Value, replace
from holdfast.embed.app_embedders import choose_ready, open_embedders
from holdfast.index.open_index import sqlite_index_of
from holdfast.inject.buffer_file import drop_buffer_notes, load
from holdfast.inject.start_text import ACTIVE
from holdfast.recall.citations.stale_citations import describe_drift
from holdfast.recall.diversity import Found
from holdfast.recall.find import search
from holdfast.recall.pack import MemoryPack, PackLine, build_pack, item_text, never_stale
from holdfast.recall.pack import pack_to_json as form
from holdfast.recall.packable import Counts, keep_first_reason, packable_filter
from holdfast.recall.rank import put_missing_vectors
from holdfast.recall.relevance import find_relevant, held_at_filter
from holdfast.recall.scope_cache import find_user_candidates
from holdfast.recall.validity import parse_as_of
from holdfast.records.injection_marks import NO_MARK, read_marks
from holdfast.records.working_buffer import BufferedSession, render_buffer
from holdfast.system.safe_write import put_file
from holdfast.trust.sync_authors import SyncAuthors
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.trust.visibility import filter_visible_to_agents
from holdfast.workspace import App, need_person

__all__ = [
    "BufferedSession",
    "InspectedPack",
    "LeftOutMemory",
    "MemoryPack",
    "PackLine",
    "PackRequest",
    "Reach",
    "activate_pack",
    "build_goal_pack",
    "drop_notes",
    "filter_visible_to_agents",
    "inspect_goal_pack",
    "item_text",
    "pack_json",
    "prompt_of",
    "read_buffer",
    "render_buffer",
]

HERE = "holds for this path"
NO_ROOM = "it matters, and there was no room for it"
HELD_BACK = "it matters, and is held back: you have not allowed this memory"
TOO_FAR = "not near enough to the goal"
# So many of the nearest are looked at for what was left out.
NEAR = 12

Reach = Callable[[App, Sequence[Entry]], list[Entry]]


class NoSuchNote(NotFound):
    """Words that stand nowhere in the buffer."""

    def __init__(self, words: str) -> None:
        super().__init__(f"No note of the buffer holds {words!r}.", "`holdfast session buffer` shows them.")


class NoGoal(BadRequest):
    """A pack for nothing."""

    def __init__(self) -> None:
        super().__init__("There is no goal to pack for.", 'give it in quotes: holdfast pack "add caching to the API".')


class PackRequest(Value):
    """What a pack is for: a goal, some paths, a task's kind or none, a budget of tokens, and a time."""

    goal: str
    paths: tuple[str, ...] = ()
    task: str | None = None
    budget: int = 0
    as_of: str = ""


class LeftOutMemory(Value):
    """A memory near a goal that its pack does not hold, and why."""

    entry: Entry
    why: str


class InspectedPack(Value):
    """A pack, and what was near and is not in it."""

    pack: MemoryPack
    left_out: tuple[LeftOutMemory, ...] = ()


class _Choice(Value):
    """What matters to a goal, best first, and what of it may reach an agent."""

    found: tuple[Found, ...]
    chosen: tuple[Found, ...]

    @property
    def held_back(self) -> list[Entry]:
        """What matters and reaches nobody."""
        kept = {id(entry) for entry, _ in self.chosen}
        return [entry for entry, _ in self.found if id(entry) not in kept]


def build_goal_pack(
    app: App, goal: str, *, path: str | Sequence[str] = "", task: str | None = None, budget: int = 0, as_of: str = "",
    reach: Reach = filter_visible_to_agents,
) -> MemoryPack:  # fmt: skip
    """The memory that matters to a goal, and what holds at some paths, within a budget of tokens: as agents get it.

    With `task`, its kind or an empty text, it is what binds somebody who carries a task out. Beside it, unless
    `packs.unconfirmed` is off, what the user said and has not accepted yet, marked. With `as_of`, what held then.
    """
    paths = (path,) if isinstance(path, str) else tuple(path)
    asked = PackRequest(goal=goal, paths=paths, task=task, budget=budget, as_of=as_of)
    return _assemble(app, asked, _choose(app, asked, reach))


def inspect_goal_pack(app: App, asked: PackRequest) -> InspectedPack:
    """The same pack, and beside it what was near the goal and is not told, with the reason."""
    choice = _choose(app, asked, filter_visible_to_agents)
    pack = _assemble(app, asked, choice)
    return InspectedPack(pack=pack, left_out=tuple(_find_left_out(app, asked, choice, pack)))


def _choose(app: App, asked: PackRequest, reach: Reach) -> _Choice:
    if not asked.goal.strip():
        raise NoGoal
    when = _moment(app, asked)
    said = find_user_candidates(app) if app.settings["packs.unconfirmed"] and when is None else frozenset()
    counts = (
        packable_filter(app.index, said, read_marks(app))
        if when is None
        else held_at_filter(sqlite_index_of(app), when)
    )
    paths = [_relative_path(app, each) for each in asked.paths if each]
    found = [*_find_at_paths(app, paths, counts), *_find_relevant(app, asked.goal, said, when, paths)]
    if asked.task is not None:
        found += [*_find_for_task_kind(app, asked.task, counts), *(_find_invariants(app, counts) if paths else ())]
    found = keep_first_reason(found)
    kept = {id(entry) for entry in reach(app, [entry for entry, _ in found])}
    return _Choice(found=tuple(found), chosen=tuple(pair for pair in found if id(pair[0]) in kept))


def _assemble(app: App, asked: PackRequest, choice: _Choice) -> MemoryPack:
    for_task = asked.task is not None
    stale = never_stale if _moment(app, asked) else partial(describe_drift, app.workspace, base=app.base)
    tokens = asked.budget or int(app.settings["packs.budget_tokens"])
    pack = build_pack(choice.chosen, tokens, stale=stale, sender=SyncAuthors(app).of, for_task=for_task)
    return replace(pack, held_back=len(choice.found) - len(choice.chosen))


def _moment(app: App, asked: PackRequest) -> datetime | None:
    return parse_as_of(asked.as_of, app.clock.now()) if asked.as_of else None


def _find_left_out(app: App, asked: PackRequest, choice: _Choice, pack: MemoryPack) -> Iterator[LeftOutMemory]:
    """Each memory once, with the first reason against it. An agent hears nothing of what is held back from it."""
    seen = set(pack.ids())
    mattered = [(entry, NO_ROOM) for entry, _ in choice.chosen]
    held = [] if app.client else [(entry, HELD_BACK) for entry in choice.held_back]
    near = [(hit.entry, "") for hit in search(app, Question(text=asked.goal, as_of=asked.as_of, limit=NEAR)).hits]
    marks = read_marks(app)
    for entry, why in (*mattered, *held, *near):
        if entry.memory.id in seen:
            continue
        seen.add(entry.memory.id)
        mark = marks.get(entry.memory.id, NO_MARK)
        yield LeftOutMemory(
            entry=entry, why=why or (f"you said: {mark.describe()}" if mark.counts_against else TOO_FAR)
        )


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


def _find_relevant(
    app: App, goal: str, said: Collection[str], when: datetime | None, paths: Sequence[str]
) -> list[Found]:
    store, embedders = sqlite_index_of(app), open_embedders(app)
    put_missing_vectors(app, [store], MEMORY, embedders)
    embedders = choose_ready(app, [store], MEMORY, embedders)
    answer = find_relevant(goal, store, said, when=when, embedders=embedders, paths=paths, marks=read_marks(app))
    return answer.pairs


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
