"""What an agent should know for a goal, and the working buffer."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from holdfast.app import need_person
from holdfast.core.errors import BadRequest, HoldfastError, NotFound
from holdfast.core.fence import inert
from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry, MemoryType
from holdfast.core.path_scope import applies_to
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.inject.buffer_file import drop, load
from holdfast.inject.start_text import ACTIVE
from holdfast.recall.citations.stale_citations import drifted
from holdfast.recall.diversity import Found
from holdfast.recall.pack import Item, Pack, marked, never, packed
from holdfast.recall.pack import pack_json as form
from holdfast.recall.relevance import held_at, relevant
from holdfast.recall.scope_cache import said_by_user
from holdfast.recall.tellable import Counts, once, tellable
from holdfast.recall.validity import asked_as_of
from holdfast.records.working_buffer import Session, rendered
from holdfast.system.safe_write import put_file
from holdfast.trust.sync_authors import Senders
from holdfast.trust.tracked_files import Tracked
from holdfast.trust.visibility import for_agents
from holdfast.workspace import App

__all__ = [
    "Item", "Pack", "Reach", "Session", "activate", "buffered", "drop_notes", "everything", "for_agents", "marked",
    "pack_for", "pack_json", "prompt_of", "rendered",
]  # fmt: skip

HERE = "holds for this path"

Reach = Callable[[App, Sequence[Entry]], list[Entry]]


class NoSuchNote(NotFound):
    """Words that stand nowhere in the buffer."""

    def __init__(self, words: str) -> None:
        super().__init__(f"No note of the buffer holds {words!r}.", "`holdfast buffer` shows them.")


class NoGoal(BadRequest):
    """A pack for nothing."""

    def __init__(self) -> None:
        super().__init__("There is no goal to pack for.", 'give it in quotes: holdfast pack "add caching to the API".')


def pack_for(
    app: App, goal: str, *, path: str | Sequence[str] = "", task: str | None = None, budget: int = 0, as_of: str = "",
    reach: Reach = for_agents,
) -> Pack:  # fmt: skip
    """The memory that matters to a goal, and what holds at some paths, within a budget of tokens: as agents get it.

    With `task`, its kind or an empty text, it is what binds somebody who carries a task out. Beside it, unless
    `packs.unconfirmed` is off, what the user said and has not accepted yet, marked. With `as_of`, what held then.
    """
    if not goal.strip():
        raise NoGoal
    when = asked_as_of(as_of, app.clock.now()) if as_of else None
    said = said_by_user(app) if app.settings["packs.unconfirmed"] and when is None else frozenset()
    counts = tellable(app.index, said) if when is None else held_at(app.index, when)
    paths = [_inside(app, each) for each in ([path] if isinstance(path, str) else path) if each]
    found = [*_at(app, paths, counts), *relevant(goal, app.index, said, when=when)]
    if task is not None:
        found += [*_of_kind(app, task, counts), *(_always(app, counts) if paths else ())]
    found = once(found)
    kept = {id(entry) for entry in reach(app, [entry for entry, _ in found])}
    chosen = [pair for pair in found if id(pair[0]) in kept]
    stale = never if when else partial(drifted, app.workspace)
    tokens = budget or int(app.settings["packs.budget_tokens"])
    pack = packed(chosen, tokens, stale=stale, sender=Senders(app).of, for_task=task is not None)
    return replace(pack, held_back=len(found) - len(chosen))


def everything(_: App, entries: Sequence[Entry]) -> list[Entry]:
    """What may reach an agent where all of it was put there by the program that asks."""
    return list(entries)


def prompt_of(pack: Pack) -> str:
    """A pack as it is put before an agent: no memory in it can pass for a tag or steer a terminal."""
    return inert(pack.to_prompt())


def pack_json(pack: Pack) -> dict[str, object]:
    """A pack for programs."""
    return {**form(pack), "prompt": prompt_of(pack)}


def activate(app: App, pack: Pack) -> str:
    """Make a pack that of the current run: its path in the workspace, or an empty text where it was not written.

    Clients' instructions point at the file. One that git tracks is not ours to fill: others would get it.
    """
    if not app.workspace:
        return ""
    if Tracked(app).holds(ACTIVE):
        app.notices.append(f"{FOLDER}/{ACTIVE} is not written: git tracks it. `git rm --cached` takes it out.")
        return ""
    text = prompt_of(pack)
    try:
        put_file(os.path.join(app.folder, ACTIVE), f"{text}\n".encode("utf-8", "replace") if text else b"")
    except HoldfastError as error:
        app.notices.append(f"The pack is not in {FOLDER}/{ACTIVE}: {error}")
        return ""
    return f"{FOLDER}/{ACTIVE}"


def buffered(app: App) -> list[Session]:
    """The sessions in the working buffer."""
    return load(app)


def drop_notes(app: App, words: str) -> list[str]:
    """Take what was noted wrongly out of the buffer; the quotes that went."""
    need_person(app, f"buffer drop {words!r}")
    quotes = drop(app, words)
    if not quotes:
        raise NoSuchNote(words)
    return quotes


def _inside(app: App, path: str) -> str:
    """A path as the workspace knows it; a folder keeps the slash at its end."""
    if "\0" in path:
        return path
    root = os.path.realpath(app.workspace or os.getcwd())
    whole = os.path.realpath(os.path.join(root, path))
    relative = os.path.relpath(whole, root).replace(os.sep, "/")
    return relative + "/" if path.endswith("/") or os.path.isdir(whole) else relative


def _at(app: App, paths: Sequence[str], counts: Counts) -> Iterator[Found]:
    """What holds at some paths and not everywhere: constraints first, then dead ends, then the rest."""
    if not paths:
        return
    scoped = app.index.select(Select(scoped=True))
    found = [entry for entry in scoped if counts(entry) and _speaks_of(entry.memory.paths, paths)]
    order = {MemoryType.INVARIANT: 0, MemoryType.FAILURE: 1, MemoryType.DECISION: 2}
    yield from ((entry, HERE) for entry in sorted(found, key=lambda entry: order.get(entry.memory.type, 3)))


def _speaks_of(globs: Sequence[str], paths: Sequence[str]) -> bool:
    """Whether globs hold for one of some paths; for a folder, also for something below it."""
    return any(
        applies_to(globs, path) or (path.endswith("/") and any(glob.startswith(path) for glob in globs))
        for path in paths
    )


def _of_kind(app: App, task: str, counts: Counts) -> Iterator[Found]:
    """The patterns for a kind of task: those that carry it as a tag or as their category."""
    kind = task.strip().casefold()
    for entry in app.index.select(Select(types=(MemoryType.PATTERN,))):
        named = {tag.casefold() for tag in (*entry.memory.tags, entry.memory.category)}
        if kind and kind in named and counts(entry):
            yield entry, f"is for tasks of the kind {task.strip()}"


def _always(app: App, counts: Counts) -> Iterator[Found]:
    """The invariants that hold at every path."""
    everywhere = app.index.select(Select(scoped=False, types=(MemoryType.INVARIANT,)))
    return ((entry, "holds everywhere") for entry in everywhere if counts(entry))
