"""What accepting a candidate would end. What an agent suggests to end ends only where the person says so."""

from holdfast.core.memory import PROPOSED_BY, Entry, Memory, SaidBy, Status
from holdfast.core.relation import Resolution
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.review.resolve_conflict import ResolveRequest
from holdfast.trust.allow import filter_visible
from holdfast.vault.promotion import is_promotion
from holdfast.workspace import App


def find_endings(app: App, memory: Memory) -> list[Entry]:
    """The memories that hold and that a candidate says it replaces; what it was promoted from is not ended by it."""
    if not memory.supersedes or memory.status is Status.ACCEPTED or is_promotion(memory):
        return []
    found = app.index.select(Select(ids=memory.supersedes, statuses=(Status.ACCEPTED,)))
    return [entry for entry in filter_visible(app, found) if not entry.memory.valid_until]


def is_suggestion(candidate: Memory) -> bool:
    """Whether what a candidate says it replaces was chosen by an agent, and is no word of the user's."""
    by_agent = candidate.said_by is SaidBy.AGENT or PROPOSED_BY in candidate.extra
    return bool(candidate.supersedes) and by_agent and not is_promotion(candidate)


def drop_suggestions(candidate: Memory, answer: ResolveRequest | None, against: str = "") -> Memory:
    """The candidate without what it would end and the person did not say; `against`: the one they spoke of."""
    if not is_suggestion(candidate):
        return candidate
    said = answer is not None and answer.choice == Resolution.SUPERSEDE
    kept = tuple(each for each in candidate.supersedes if said and against in {"", each})
    return replace(candidate, supersedes=kept)
