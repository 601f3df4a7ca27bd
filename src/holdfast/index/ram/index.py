"""The index in memory, with FTS5's own arithmetic: the same hits in the same order as on disk."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.event import Cursor
from holdfast.core.ids import is_ulid
from holdfast.core.memory import Entry, Problem, Status
from holdfast.core.search import (
    Change,
    EventRow,
    Passage,
    Said,
    Scored,
    Select,
    Source,
    Spoken,
    SpokenQuery,
    Supersession,
    Terms,
    WordQuery,
)
from holdfast.core.value import Value, replace

K1 = 1.2
B = 0.75
LEAST_IDF = 1e-6
TITLE, BODY, TAGS = 4.0, 1.0, 3.0
NEVER_ACCEPTED = (Status.CANDIDATE, Status.REJECTED)


class _IndexedFile(Value):
    passages: tuple[Passage, ...] = ()
    problems: tuple[Problem, ...] = ()


class RamIndex:
    """Passages in memory; gone when the process is."""

    def __init__(self) -> None:
        self._sources: dict[tuple[str, str], Source] = {}
        self._files: dict[tuple[str, str], _IndexedFile] = {}
        self._events: dict[str, EventRow] = {}
        self._spoken: dict[str, tuple[Spoken, ...]] = {}
        self._pages: dict[str, str] = {}
        self._cursor = Cursor()

    def sources(self) -> Mapping[tuple[str, str], Source]:
        """Every file the index knows, by scope and path."""
        return dict(self._sources)

    def cursor(self) -> Cursor:
        """How far the journal is indexed."""
        return self._cursor

    def apply(self, change: Change) -> None:
        """Bring in what moved."""
        for scope, path in change.dropped:
            self._sources.pop((scope, path), None)
            self._files.pop((scope, path), None)
        for moved in change.sources:
            key = (str(moved.source.scope), moved.source.path)
            self._sources[key] = moved.source
            if moved.passages is not None:
                self._files[key] = _IndexedFile(passages=moved.passages, problems=moved.problems)
        self._events |= {event.id: event for event in change.events}
        self._put_speech(change)
        for event_id in change.forgotten:
            self._events.pop(event_id, None)
            self._spoken.pop(event_id, None)
        self._cursor = change.cursor or self._cursor

    def _put_speech(self, change: Change) -> None:
        for path in change.pages_gone:
            self._pages.pop(path, None)
            self._spoken.pop(path, None)
        for page in change.pages:
            self._spoken.pop(page.path, None)
            self._pages[page.path] = page.stamp
        for spoken_id in {spoken.id for spoken in change.spoken}:
            self._spoken.pop(spoken_id, None)
        for spoken in (*change.spoken, *(each for page in change.pages for each in page.spoken)):
            self._spoken[spoken.id] = (*self._spoken.get(spoken.id, ()), spoken)

    def by_spoken(self, query: SpokenQuery) -> Sequence[Said]:
        """What was said that holds any of these terms, best first, equal scores the newest first."""
        everything = [spoken for parts in self._spoken.values() for spoken in parts]
        texts = [Terms(body=spoken.terms) for spoken in everything]
        score = _Bm25(texts, query.terms)
        found = [
            Said(spoken=replace(spoken, terms=()), score=score.of(text), **_texts_beside(everything, at))
            for at, (spoken, text) in enumerate(zip(everything, texts, strict=True))
            if spoken.kind in query.kinds and score.matches(text)
        ]
        newest_first = sorted(found, key=lambda said: said.spoken.ts, reverse=True)
        return sorted(newest_first, key=lambda said: -said.score)[: query.limit]

    def spoken_frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many spoken passages each term stands, and how many there are."""
        passages = [spoken.terms for parts in self._spoken.values() for spoken in parts]
        return {term: sum(term in words for words in passages) for term in terms}, len(passages)

    def pages(self) -> Mapping[str, str]:
        """Every page the index knows, by its path, with its stamp."""
        return dict(self._pages)

    def by_words(self, query: WordQuery) -> Iterator[Scored]:
        """Best first, equal scores by id; lazily. No terms match nothing."""
        score = _Bm25([passage.terms for passage in self._passages()], query.terms)
        hits = [
            Scored(entry=passage.entry, score=score.of(passage.terms))
            for passage in self._passages()
            if score.matches(passage.terms) and _is_selected(passage.entry, query.select)
        ]
        yield from sorted(hits, key=lambda hit: (-hit.score, _order(hit.entry)))

    def frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many passages each term stands, and how many passages there are."""
        passages = [_all_terms(passage.terms) for passage in self._passages()]
        return {term: sum(term in words for words in passages) for term in terms}, len(passages)

    def select(self, select: Select) -> Sequence[Entry]:
        """The entries meant, by id and then path."""
        meant = sorted((p.entry for p in self._passages() if _is_selected(p.entry, select)), key=_order)
        if select.newest:
            meant = sorted(meant, key=lambda entry: entry.memory.updated, reverse=True)[: select.newest]
        return sorted(meant, key=_order)

    def events(self, around: str, before: int, after: int) -> Sequence[EventRow]:
        """Events around a time or an event, oldest first: so many before it, so many from it on."""
        if is_ulid(around) and around not in self._events:
            return []
        point = (self._events[around].ts, around) if around in self._events else (around, "")
        ordered = sorted(self._events.values(), key=lambda event: (event.ts, event.id))
        past = [event for event in ordered if (event.ts, event.id) < point]
        coming = [event for event in ordered if (event.ts, event.id) >= point]
        return [*past[max(0, len(past) - before) :], *coming[:after]]

    def links(self) -> tuple[Sequence[Supersession], Sequence[Problem]]:
        """All supersessions by memories that were accepted, and the problems of the files indexed."""
        links = {link for passage in self._passages() for link in _links(passage.entry)}
        problems = [problem for file in self._files.values() for problem in file.problems]
        return (
            sorted(links, key=lambda link: (link.old, link.new, link.since)),
            sorted(problems, key=lambda problem: (problem.path, problem.line or 0, problem.reason)),
        )

    def _passages(self) -> Iterator[Passage]:
        return (passage for file in self._files.values() for passage in file.passages)


class _Bm25:
    """FTS5's bm25(), operation by operation, so that even the last bit agrees."""

    def __init__(self, passages: Sequence[Terms], terms: Sequence[str]) -> None:
        words = [_all_terms(passage) for passage in passages]
        self._terms = terms
        self._average = sum(map(len, words)) / len(words) if words else 0.0
        self._idf = [_idf(sum(term in each for each in words), len(words)) for term in terms]

    def matches(self, terms: Terms) -> bool:
        """Whether any of the terms stands there."""
        return not set(self._terms).isdisjoint(_all_terms(terms))

    def of(self, terms: Terms) -> float:
        """How well a passage answers."""
        length = 1 - B + B * float(len(_all_terms(terms))) / self._average
        counts = _weigh_terms(terms)
        score = 0.0
        for term, idf in zip(self._terms, self._idf, strict=True):
            score += idf * ((counts[term] * (K1 + 1.0)) / (counts[term] + K1 * length))
        return score


def _texts_beside(everything: Sequence[Spoken], at: int) -> dict[str, str]:
    group = everything[at].group
    before = next((each.text for each in reversed(everything[:at]) if each.group == group), "")
    after = next((each.text for each in everything[at + 1 :] if each.group == group), "")
    return {"before": before, "after": after}


def _idf(hits: int, rows: int) -> float:
    idf = math.log((rows - hits + 0.5) / (hits + 0.5))
    return idf if idf > 0.0 else LEAST_IDF


def _weigh_terms(terms: Terms) -> Mapping[str, float]:
    counts: dict[str, float] = defaultdict(float)
    for part, weight in ((terms.title, TITLE), (terms.body, BODY), (terms.tags, TAGS)):
        for term in part:
            counts[term] += weight
    return counts


def _all_terms(terms: Terms) -> tuple[str, ...]:
    return (*terms.title, *terms.body, *terms.tags)


def _links(entry: Entry) -> Iterator[Supersession]:
    memory = entry.memory
    for old in memory.supersedes if memory.status not in NEVER_ACCEPTED else ():
        if old != memory.id:
            yield Supersession(old=old, new=memory.id, since=memory.valid_from or memory.updated)


def _is_selected(entry: Entry, select: Select) -> bool:
    memory = entry.memory
    if select.scoped is not None and select.scoped != bool(memory.paths):
        return False
    pairs = (
        (memory.id, select.ids),
        (memory.type, select.types),
        (memory.status, select.statuses),
        (entry.scope, select.scopes),
    )
    return all(not wanted or value in wanted for value, wanted in pairs)


def _order(entry: Entry) -> tuple[str, str, str, int]:
    return entry.memory.id, entry.path, str(entry.scope), entry.line
