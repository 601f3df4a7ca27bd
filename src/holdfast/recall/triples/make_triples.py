"""Triples: what models read out of memories for the graph; how many there are, and having more made."""

from collections.abc import Callable

from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.value import Value
from holdfast.recall.triples.app_triples import (
    BY_MODEL,
    SETTING,
    Estimate,
    are_triples_wanted,
    count_triples,
    estimate_cost,
    find_waiting_memories,
    forget_removed,
    make,
)
from holdfast.recall.triples.ask_model import TriplesAnswer
from holdfast.workspace import App, need_person

__all__ = ["Estimate", "TripleRunResult", "TripleStatus", "TriplesDisabled", "make_triples", "read_triple_status"]


class TriplesDisabled(BadRequest):
    """The user has not asked for them."""

    def __init__(self) -> None:
        super().__init__(
            f"Triples are off: `{SETTING}` is not {BY_MODEL!r}.",
            f"switch them on: `holdfast config {SETTING} {BY_MODEL}`; memories are then sent to the model.",
        )


class TripleStatus(Value):
    """Where triples stand: memories asked about, their triples, answers of no use, memories that wait; and whether
    they are used.
    """

    memories: int
    triples: int
    unusable: int
    waiting: int
    on: bool


class TripleRunResult(Value):
    """What came of asking: memories, triples, answers of no use, answers that were kept; what it took; what is left.

    `problem` says what ended it before its time, `status` is that failure's exit status.
    """

    memories: int = 0
    triples: int = 0
    unusable: int = 0
    remembered: int = 0
    input: int = 0
    output: int = 0
    cost: float | None = 0.0
    left: int = 0
    problem: str = ""
    hint: str = ""
    status: int = 0


def read_triple_status(app: App) -> TripleStatus:
    """Where triples stand. Nobody is asked."""
    told, facts, unusable = count_triples(app)
    return TripleStatus(
        memories=told,
        triples=facts,
        unusable=unusable,
        waiting=len(find_waiting_memories(app)),
        on=are_triples_wanted(app),
    )


def make_triples(app: App, limit: int, tell: Callable[[Estimate], None]) -> TripleRunResult:
    """Ask the model about memories that wait, the newest first, at most so many (0: all). `tell` hears before what it
    may take. What was answered before a failure is kept.
    """
    if not are_triples_wanted(app):
        raise TriplesDisabled
    need_person(app, "doctor --triples")
    forget_removed(app)
    found = find_waiting_memories(app)
    chosen = found[:limit] if limit else found
    if not chosen:
        return TripleRunResult()
    tell(estimate_cost(app, chosen))
    answers: list[TriplesAnswer] = []
    trouble: HoldfastError | None = None
    try:
        # One by one: what came before a failure counts.
        answers.extend(each.answer for each in make(app, chosen))
    except HoldfastError as error:
        trouble = error
    costs = [answer.reply.cost for answer in answers]
    return TripleRunResult(
        memories=len(answers),
        triples=sum(len(answer.facts) for answer in answers),
        unusable=sum(bool(answer.note) for answer in answers),
        remembered=sum(answer.reply.remembered for answer in answers),
        input=sum(answer.reply.usage.input for answer in answers),
        output=sum(answer.reply.usage.output for answer in answers),
        cost=None if None in costs else sum(filter(None, costs)),
        left=len(found) - len(answers),
        problem=str(trouble or ""),
        hint=trouble.hint if trouble else "",
        status=trouble.exit_status if trouble else 0,
    )
