"""Accept and reject, as plans: nothing here writes."""

from collections.abc import Iterable

from holdfast.core.errors import Conflict
from holdfast.core.memory import PREFIXES, Entry, Memory, Status
from holdfast.core.value import Value, replace

DATE_LENGTH = len("2026-11-15")


class AlreadyDecided(Conflict):
    """A candidate that was rejected before."""

    def __init__(self, candidate: Memory) -> None:
        because = f" because: {candidate.because}" if candidate.because else ""
        super().__init__(
            f"Candidate {candidate.id!r} was rejected{because}.",
            f"`holdfast accept {candidate.id} --again` accepts it all the same.",
        )


class CandidateIdTaken(Conflict):
    """The id a candidate would get stands for something else."""

    def __init__(self, candidate_id: str, memory_id: str, path: str) -> None:
        super().__init__(
            f"Candidate {candidate_id!r} would become {memory_id!r}, which stands in {path!r} with other words.",
            f"look at both: `holdfast show {candidate_id} {memory_id}`.",
        )


class AcceptPlan(Value):
    """Write this memory, then take the candidate away."""

    candidate: Entry
    memory: Memory


class FinishPlan(Value):
    """The memory is there already (an earlier accept was cut short): take the candidate away."""

    candidate: Entry
    there: Entry


def plan_accept(
    candidate: Entry, existing: Iterable[Entry], now: str, *, again: bool = False
) -> AcceptPlan | FinishPlan:
    """What accepting a candidate would do. The memory's id follows from the candidate's, so doing it twice is once."""
    if candidate.memory.status is Status.REJECTED and not again:
        raise AlreadyDecided(candidate.memory)
    memory = promote_candidate(candidate.memory, now)
    for entry in existing:
        if entry.memory.id != memory.id:
            continue
        if content_digest(entry.memory) == content_digest(memory):
            return FinishPlan(candidate=candidate, there=entry)
        raise CandidateIdTaken(candidate.memory.id, memory.id, entry.path)
    return AcceptPlan(candidate=candidate, memory=memory)


def promote_candidate(candidate: Memory, now: str) -> Memory:
    """The memory a candidate becomes."""
    return replace(
        candidate,
        id=f"{PREFIXES[candidate.type]}-{candidate.id.rpartition('-')[2]}",
        status=Status.ACCEPTED,
        valid_from=candidate.valid_from or now[:DATE_LENGTH],
        updated=now,
        because="",
    )


def reject_candidate(candidate: Memory, because: str, now: str) -> Memory:
    """A candidate that was turned down, with the reason."""
    return replace(candidate, status=Status.REJECTED, because=because, updated=now)


def find_same_proposal(memory: Memory, candidates: Iterable[Entry]) -> Entry | None:
    """The candidate that says the same already: waiting or rejected, so that nothing is proposed twice."""
    wanted = content_digest(memory)
    return next((entry for entry in candidates if content_digest(entry.memory) == wanted), None)


def content_digest(memory: Memory) -> tuple[str, ...]:
    """What a memory says, for telling whether two say the same."""
    said = (memory.type, memory.title, memory.question, memory.choice, memory.fact, memory.body)
    return tuple(" ".join(text.casefold().split()) for text in said)
