"""What an agent should know for a goal, and the working buffer."""

from collections.abc import Iterator

from holdfast.capture.buffer import Session, rendered
from holdfast.domain.errors import BadRequest, NotFound
from holdfast.domain.memory import Entry, Status
from holdfast.domain.search import Select
from holdfast.memory.allow import reachable
from holdfast.memory.open import need_person
from holdfast.recall.current import once, tellable
from holdfast.recall.pack import Pack, pack_json, packed
from holdfast.recall.relevance import relevant
from holdfast.recall.scope import applies_to
from holdfast.wiring.app import App
from holdfast.wiring.buffer import drop, load
from holdfast.wiring.known import said_by_user

__all__ = ["Pack", "Session", "buffered", "drop_notes", "pack_for", "pack_json", "rendered"]


class NoSuchNote(NotFound):
    """Words that stand nowhere in the buffer."""

    def __init__(self, words: str) -> None:
        super().__init__(f"No note of the buffer holds {words!r}.", "`holdfast buffer` shows them.")


class NoGoal(BadRequest):
    """A pack for nothing."""

    def __init__(self) -> None:
        super().__init__("There is no goal to pack for.", 'give it in quotes: holdfast pack "add caching to the API".')


def pack_for(app: App, goal: str, *, path: str = "", budget: int = 0) -> Pack:
    """The memory that matters to a goal, and what holds at a path, within a budget of tokens.

    Beside it, unless `packs.unconfirmed` is off, what the user said and has not accepted yet, marked.
    """
    if not goal.strip():
        raise NoGoal
    said = said_by_user(app) if app.settings["packs.unconfirmed"] else frozenset()
    at_path = [(entry, "holds for this path") for entry in _at(app, path, said)] if path else []
    found = once([*at_path, *relevant(goal, app.index, said)])
    kept = {id(entry) for entry in reachable(app, [entry for entry, _ in found])}
    chosen = [pair for pair in found if id(pair[0]) in kept]
    return packed(chosen, budget or int(app.settings["packs.budget_tokens"]))


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


def _at(app: App, path: str, said: frozenset[str]) -> Iterator[Entry]:
    counts = tellable(app.index, said)
    scoped = app.index.select(Select(scoped=True, statuses=(Status.ACCEPTED, Status.CANDIDATE)))
    return (entry for entry in scoped if counts(entry) and applies_to(entry.memory.paths, path))
