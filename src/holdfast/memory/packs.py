"""What an agent should know for a goal, and the working buffer."""

from holdfast.capture.buffer import Session, rendered
from holdfast.domain.errors import BadRequest
from holdfast.domain.memory import Entry
from holdfast.domain.search import Question, Select
from holdfast.memory.allow import reachable
from holdfast.recall.pack import Pack, pack_json, packed
from holdfast.recall.relevance import relevant
from holdfast.recall.scope import applies_to
from holdfast.recall.search import select
from holdfast.wiring.app import App
from holdfast.wiring.buffer import load

__all__ = ["Pack", "Session", "buffered", "pack_for", "pack_json", "rendered"]


class NoGoal(BadRequest):
    """A pack for nothing."""

    def __init__(self) -> None:
        super().__init__("There is no goal to pack for.", 'give it in quotes: holdfast pack "add caching to the API".')


def pack_for(app: App, goal: str, *, path: str = "", budget: int = 0) -> Pack:
    """The memory that matters to a goal, and what holds at a path, within a budget of tokens."""
    if not goal.strip():
        raise NoGoal
    at_path = [(entry, "holds for this path") for entry in _at(app, path)] if path else []
    found = {id(entry): (entry, why) for entry, why in [*at_path, *relevant(goal, app.index)]}
    kept = {id(entry) for entry in reachable(app, [entry for entry, _ in found.values()])}
    chosen = [pair for key, pair in found.items() if key in kept]
    return packed(_once(chosen), budget or int(app.settings["packs.budget_tokens"]))


def buffered(app: App) -> list[Session]:
    """The sessions in the working buffer."""
    return load(app)


def _at(app: App, path: str) -> list[Entry]:
    scoped = select(Question(text="", select=Select(scoped=True)), app.index)
    return [entry for entry in scoped if applies_to(entry.memory.paths, path)]


def _once(found: list[tuple[Entry, str]]) -> list[tuple[Entry, str]]:
    first: dict[tuple[str, str], tuple[Entry, str]] = {}
    for entry, why in found:
        first.setdefault((entry.memory.id, entry.path), (entry, why))
    return list(first.values())
