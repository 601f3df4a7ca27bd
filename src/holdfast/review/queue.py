"""The queue: what waits for a person, and which of it is meant."""

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.memory import Entry, MemoryType, SaidBy, Status
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.index.entries import find_entry, is_candidate
from holdfast.review.expiry import split_expired
from holdfast.review.queue_groups import QueueGroup, group_queue
from holdfast.trust.allow import filter_visible
from holdfast.trust.visibility import doubt_foreign_candidates
from holdfast.workspace import App


class NotACandidate(NotFound):
    """An id that is no candidate's."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"{wanted!r} is not a candidate.", "`holdfast list --candidates` lists them.")


class NoCandidateNamed(BadRequest):
    """Neither ids, nor --all, nor something to choose by."""

    def __init__(self, verb: str) -> None:
        super().__init__(f"`holdfast {verb}` was not told which candidates.", "name their ids, or give --all.")


class CandidateFilter(Value):
    """Which candidates are meant; what is empty means any. `session`: the beginning of its id."""

    types: tuple[MemoryType, ...] = ()
    session: str = ""
    min_confidence: float = 0.0
    said_by: tuple[SaidBy, ...] = ()
    words: str = ""


EVERY = CandidateFilter()


def list_waiting(app: App, chosen: CandidateFilter = EVERY, *, rejected_too: bool = False) -> list[Entry]:
    """What waits for review, by id; what nobody reviewed in time is not in the queue any more."""
    return split_expired(app, _select(app, chosen, rejected_too=rejected_too))[0]


def list_expired(app: App, chosen: CandidateFilter = EVERY) -> list[Entry]:
    """What nobody reviewed in time, by id."""
    return split_expired(app, _select(app, chosen))[1]


def list_questions(app: App, chosen: CandidateFilter = EVERY, *, rejected_too: bool = False) -> list[QueueGroup]:
    """What waits, as questions, best first: those of which something is meant."""
    groups = group_queue(list_waiting(app, rejected_too=rejected_too))
    return [group for group in groups if any(is_meant(entry, chosen) for entry in group.entries)]


def _select(app: App, chosen: CandidateFilter, *, rejected_too: bool = False) -> list[Entry]:
    statuses = (Status.CANDIDATE, Status.REJECTED) if rejected_too else (Status.CANDIDATE,)
    found = app.index.select(Select(types=chosen.types, statuses=statuses))
    waits = doubt_foreign_candidates(app, filter_visible(app, [entry for entry in found if is_candidate(entry)]))
    return [entry for entry in waits if is_meant(entry, chosen)]


def find_candidate(app: App, wanted: str) -> Entry:
    """The one candidate an id means."""
    entry = find_entry(app, wanted)
    if not is_candidate(entry):
        raise NotACandidate(wanted)
    return doubt_foreign_candidates(app, [entry])[0]


def is_meant(entry: Entry, chosen: CandidateFilter) -> bool:
    """Whether a candidate is one of those meant."""
    memory = entry.memory
    # One that says nothing of how sure it is came from a person's own `propose`.
    sure = 1.0 if memory.confidence is None else memory.confidence
    text = " ".join((memory.id, memory.title, memory.choice, memory.fact, *memory.tags, memory.body)).casefold()
    return (
        (not chosen.types or memory.type in chosen.types)
        and (not chosen.session or memory.source.startswith(chosen.session))
        and sure >= chosen.min_confidence
        and (not chosen.said_by or memory.said_by in chosen.said_by)
        and all(word in text for word in chosen.words.casefold().split())
    )
