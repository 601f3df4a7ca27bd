"""The answer to a question: a lane's ranking, narrowed to what was asked for."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice

from holdfast.domain.memory import Entry, Status
from holdfast.domain.search import Found, Hit, LaneScore, Question, Select
from holdfast.domain.value import replace
from holdfast.index.times import moment
from holdfast.ports.index import IndexStore
from holdfast.recall.lanes import Lane, Ranked
from holdfast.recall.scope import applies_to
from holdfast.recall.validity import ALWAYS, ONCE_ACCEPTED, asked_as_of, asked_moment, ends, holds
from holdfast.recall.words import WordsLane

WORDS = WordsLane()

Wanted = Callable[[Entry], bool]


def search(question: Question, store: IndexStore, lane: Lane = WORDS) -> Found:
    """The best hits. Without statuses asked for, only memories that are accepted and hold now, or held `as_of`."""
    wanted = _wanted(question, store)
    ranked = lane.run(_with_statuses(question), store)
    hits = tuple(islice(_hits(lane.name, ranked, wanted), max(0, question.limit)))
    return Found(hits=hits, searched={**ranked.searched, "lanes": (lane.name,)})


def select(question: Question, store: IndexStore) -> list[Entry]:
    """Every entry that the question's filters mean, whatever its words."""
    wanted = _wanted(question, store)
    return [entry for entry in store.select(_with_statuses(question).select) if wanted(entry)]


def _with_statuses(question: Question) -> Question:
    if question.select.statuses:
        return question
    statuses = ONCE_ACCEPTED if question.as_of else (Status.ACCEPTED,)
    return replace(question, select=replace(question.select, statuses=statuses))


def _hits(name: str, ranked: Ranked, wanted: Wanted) -> Iterator[Hit]:
    for rank, scored in enumerate(ranked.scored, 1):
        if wanted(scored.entry):
            lane = LaneScore(lane=name, rank=rank, score=scored.score, why=ranked.why(scored.entry))
            yield Hit(entry=scored.entry, score=scored.score, lanes=(lane,))


def wanted_by(question: Question, store: IndexStore) -> Wanted:
    """Whether an entry is one that the question's filters mean."""
    select, wanted = _with_statuses(question).select, _wanted(question, store)
    return lambda entry: _meant(entry, select) and wanted(entry)


def _meant(entry: Entry, select: Select) -> bool:
    memory = entry.memory
    pairs = ((memory.id, select.ids), (memory.type, select.types), (memory.status, select.statuses))
    scoped = select.scoped is None or select.scoped == bool(memory.paths)
    return scoped and all(not meant or value in meant for value, meant in (*pairs, (entry.scope, select.scopes)))


def _wanted(question: Question, store: IndexStore) -> Wanted:
    """What the store cannot tell: tags, path, age and validity."""
    checks = [*_narrowing(question)]
    if question.as_of or not question.select.statuses:
        when = asked_as_of(question.as_of, question.now or datetime.now(UTC))
        ended = ends(store.links()[0])
        checks.append(lambda entry: holds(entry.memory, when, ended))
    return lambda entry: all(check(entry) for check in checks)


def _narrowing(question: Question) -> Iterator[Wanted]:
    if question.tags:
        tags = {tag.casefold() for tag in question.tags}
        yield lambda entry: tags <= {tag.casefold() for tag in entry.memory.tags}
    if question.path:
        yield lambda entry: applies_to(entry.memory.paths, question.path)
    if question.since:
        since = asked_moment(question.since)
        yield lambda entry: (moment(entry.memory.updated or entry.memory.valid_from) or ALWAYS) >= since
