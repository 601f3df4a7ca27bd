"""The answer to a question: a lane's ranking, narrowed to what was asked for."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry, Status
from holdfast.core.path_scope import applies_to
from holdfast.core.search import Found, Hit, LaneScore, Question, Select
from holdfast.core.times import moment
from holdfast.core.value import replace
from holdfast.recall.lane import Lane, Ranked
from holdfast.recall.validity import ALWAYS, ONCE_ACCEPTED, asked_as_of, asked_moment, ends, why_not
from holdfast.recall.words_lane import WordsLane

WORDS = WordsLane()

Wanted = Callable[[Entry], bool]
# Why an entry is not wanted; an empty text for one that is.
Unwanted = Callable[[Entry], str]


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
    unwanted = unwanted_by(question, store)
    return lambda entry: not unwanted(entry)


def unwanted_by(question: Question, store: IndexStore) -> Unwanted:
    """Why an entry is not one that the question's filters mean."""
    select, checks = _with_statuses(question).select, _checks(question, store)
    return lambda entry: next(filter(None, (check(entry) for check in checks)), "") or _unmeant(entry, select)


def _unmeant(entry: Entry, select: Select) -> str:
    memory = entry.memory
    if select.scoped is not None and select.scoped != bool(memory.paths):
        return "holds at some paths only" if memory.paths else "holds everywhere"
    named = (("id", memory.id, select.ids), ("type", memory.type, select.types))
    found = (*named, ("status", memory.status, select.statuses), ("scope", entry.scope, select.scopes))
    return next((f"{what} {value}" for what, value, meant in found if meant and value not in meant), "")


def _wanted(question: Question, store: IndexStore) -> Wanted:
    checks = _checks(question, store)
    return lambda entry: not any(check(entry) for check in checks)


def _checks(question: Question, store: IndexStore) -> list[Unwanted]:
    """What the store cannot tell: tags, path, age and validity."""
    checks = [*_narrowing(question)]
    if question.as_of or not question.select.statuses:
        when = asked_as_of(question.as_of, question.now or datetime.now(UTC))
        links = store.links()[0]
        ended, newer = ends(links), {link.old: link.new for link in links}
        checks.append(lambda entry: why_not(entry.memory, when, ended, newer))
    return checks


def _narrowing(question: Question) -> Iterator[Unwanted]:
    if question.tags:
        tags = {tag.casefold() for tag in question.tags}
        yield lambda entry: "" if tags <= {tag.casefold() for tag in entry.memory.tags} else "has not every tag"
    if question.path:
        yield lambda entry: "" if applies_to(entry.memory.paths, question.path) else "holds at other paths"
    if question.since:
        since = asked_moment(question.since)
        yield lambda entry: "" if _changed(entry) >= since else f"not changed since {question.since}"


def _changed(entry: Entry) -> datetime:
    return moment(entry.memory.updated or entry.memory.valid_from) or ALWAYS
