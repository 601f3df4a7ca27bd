"""The answer to a question: a lane's ranking, narrowed to what was asked for."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry, Status
from holdfast.core.path_scope import applies_to
from holdfast.core.search import Found, Hit, LaneScore, Question, Select
from holdfast.core.times import parse_moment
from holdfast.core.value import replace
from holdfast.recall.lane import LaneRanking, SearchLane
from holdfast.recall.validity import (
    ALWAYS,
    ONCE_ACCEPTED,
    parse_as_of,
    parse_asked_time,
    supersession_times,
    why_not_held,
)
from holdfast.recall.words_lane import WordsLane

WORDS = WordsLane()

Wanted = Callable[[Entry], bool]
# Why an entry is not wanted; an empty text for one that is.
Unwanted = Callable[[Entry], str]


def search(question: Question, store: IndexStore, lane: SearchLane = WORDS) -> Found:
    """The best hits. Without statuses asked for, only memories that are accepted and hold now, or held `as_of`."""
    wanted = _check_filter(question, store)
    ranked = lane.run(_with_statuses(question), store)
    hits = tuple(islice(_hits(lane.name, ranked, wanted), max(0, question.limit)))
    return Found(hits=hits, searched={**ranked.searched, "lanes": (lane.name,)})


def select_entries(question: Question, store: IndexStore) -> list[Entry]:
    """Every entry that the question's filters mean, whatever its words."""
    wanted = _check_filter(question, store)
    return [entry for entry in store.select(_with_statuses(question).select) if wanted(entry)]


def _with_statuses(question: Question) -> Question:
    if question.select.statuses:
        return question
    statuses = ONCE_ACCEPTED if question.as_of else (Status.ACCEPTED,)
    return replace(question, select=replace(question.select, statuses=statuses))


def _hits(name: str, ranked: LaneRanking, wanted: Wanted) -> Iterator[Hit]:
    for rank, scored in enumerate(ranked.scored, 1):
        if wanted(scored.entry):
            lane = LaneScore(lane=name, rank=rank, score=scored.score, why=ranked.why(scored.entry))
            yield Hit(entry=scored.entry, score=scored.score, lanes=(lane,))


def wanted_filter(question: Question, store: IndexStore) -> Wanted:
    """Whether an entry is one that the question's filters mean."""
    unwanted = why_unwanted(question, store)
    return lambda entry: not unwanted(entry)


def why_unwanted(question: Question, store: IndexStore) -> Unwanted:
    """Why an entry is not one that the question's filters mean."""
    select, checks = _with_statuses(question).select, _checks(question, store)
    return lambda entry: next(filter(None, (check(entry) for check in checks)), "") or _why_not_selected(entry, select)


def _why_not_selected(entry: Entry, select: Select) -> str:
    memory = entry.memory
    if select.scoped is not None and select.scoped != bool(memory.paths):
        return "holds at some paths only" if memory.paths else "holds everywhere"
    named = (("id", memory.id, select.ids), ("type", memory.type, select.types))
    found = (*named, ("status", memory.status, select.statuses), ("scope", entry.scope, select.scopes))
    return next((f"{what} {value}" for what, value, meant in found if meant and value not in meant), "")


def _check_filter(question: Question, store: IndexStore) -> Wanted:
    checks = _checks(question, store)
    return lambda entry: not any(check(entry) for check in checks)


def _checks(question: Question, store: IndexStore) -> list[Unwanted]:
    """What the store cannot tell: tags, path, age and validity."""
    checks = [*_narrowing_checks(question)]
    if question.as_of or not question.select.statuses:
        when = parse_as_of(question.as_of, question.now or datetime.now(UTC))
        links = store.links()[0]
        ended, newer = supersession_times(links), {link.old: link.new for link in links}
        checks.append(lambda entry: why_not_held(entry.memory, when, ended, newer))
    return checks


def _narrowing_checks(question: Question) -> Iterator[Unwanted]:
    if question.tags:
        tags = {tag.casefold() for tag in question.tags}
        yield lambda entry: "" if tags <= {tag.casefold() for tag in entry.memory.tags} else "has not every tag"
    if question.path:
        yield lambda entry: "" if applies_to(entry.memory.paths, question.path) else "holds at other paths"
    if question.since:
        since = parse_asked_time(question.since)
        yield lambda entry: "" if _changed_at(entry) >= since else f"not changed since {question.since}"


def _changed_at(entry: Entry) -> datetime:
    return parse_moment(entry.memory.updated or entry.memory.valid_from) or ALWAYS
