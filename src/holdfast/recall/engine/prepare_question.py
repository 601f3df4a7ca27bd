"""A question made ready: its terms and how rare they are here, its words, vectors, names and times."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from holdfast.core.embedder import Floats, StaticEmbedder
from holdfast.core.shelf import Shelf, Totals
from holdfast.core.times import parse_moment
from holdfast.core.value import replace
from holdfast.index.terms import query_terms
from holdfast.recall.engine import name_weight
from holdfast.recall.engine.engine_values import EngineSettings, PreparedQuestion, Recipe, TimeRange
from holdfast.recall.engine.lane_registry import load_attribute
from holdfast.recall.engine.soft_words import stem_nearness
from holdfast.recall.engine.time_words import CHANGING, TimeAnchor, anchor_range, find_anchors, find_ranges
from holdfast.recall.engine.word_lanes import rarity

LONGEST = 8_000
COUNTED = 512
FUNCTION = (
    "a about am an and are as at be been being but by can could d did do does for from had has have he her him his how "
    "i if in into is it its ll m me my no not of on or our re s she should so such t than that the their them then "
    "there these they this those to us ve was we were what when where which who why will with would you your"
)
FUNCTION_WORDS = frozenset(FUNCTION.split())
FUNCTION_TERMS = frozenset(query_terms(FUNCTION))
CHANGE_TERMS = frozenset(query_terms(CHANGING)) - FUNCTION_TERMS
ANCHORS_MOST = 50

_WORD = re.compile(r"[^\W_]+")


def prepare_question(
    text: str,
    shelf: Shelf,
    totals: Totals,
    recipe: Recipe,
    *,
    static: StaticEmbedder | None = None,
    meaning: tuple[str, Floats] | None = None,
    now: datetime | None = None,
) -> PreparedQuestion:
    """The question as the lanes need it. Of a very long one only the beginning is asked.

    `meaning` is its vector by a model that reads whole texts, and the model's name.
    """
    text = text[:LONGEST]
    spoken = list(dict.fromkeys(query_terms(text)))
    terms = [term for term in spoken if term not in FUNCTION_TERMS][:COUNTED]
    words = list(_words(text))
    counts = shelf.frequencies(list(dict.fromkeys([*terms, *(stem for _, stem in words)])))
    made = PreparedQuestion(
        text=text, recipe=recipe, passages=totals.passages, near=stem_nearness(()), counts=counts, now=now
    )
    made = _with_terms(made, spoken, [term for term in terms if counts.get(term)])
    made = _with_words(made, words)
    made = replace(made, ranges=_times(text, shelf, now), **_names(made, shelf, totals))
    made = _with_static(made, shelf, static) if static is not None else made
    return replace(made, meaning_name=meaning[0], meaning=meaning[1]) if meaning else made


def choose_lookups(counts: Mapping[str, int], settings: EngineSettings) -> Mapping[str, str]:
    """Why terms are not looked up: the rarest are, for as long as they stand in few enough passages together."""
    left: dict[str, str] = {}
    postings = 0
    for place, (term, count) in enumerate(sorted(counts.items(), key=lambda each: (each[1], each[0]))):
        postings += count
        if place >= settings.terms_most:
            left[term] = f"there are {settings.terms_most} rarer ones"
        elif place and postings > settings.postings_most:
            left[term] = f"common: in {count} passages"
    return left


def _times(text: str, shelf: Shelf, now: datetime | None) -> tuple[TimeRange, ...]:
    """The times that the question says, and those of what it names instead, where a passage tells when that was."""
    named = (_resolve_anchor(each, shelf) for each in find_anchors(text, now))
    return (*find_ranges(text, now), *(each for each in named if each is not None))


def _resolve_anchor(anchor: TimeAnchor, shelf: Shelf) -> TimeRange | None:
    """By the best passage that holds all telling words and has a date; one that tells of a change before others."""
    spoken = [term for term in dict.fromkeys(query_terms(anchor.event_words)) if term not in FUNCTION_TERMS]
    needed = [term for term in spoken if term not in CHANGE_TERMS] or spoken
    if not needed:
        return None
    texts = shelf.texts(rows := shelf.by_words(spoken, ANCHORS_MOST))
    fit = [texts[row] for row in rows if row in texts and set(needed) <= {*texts[row].terms}]
    # Of those that tell of a change, one that is called so is about it, and does not only speak of it.
    fit.sort(key=lambda text: (CHANGE_TERMS.isdisjoint(text.terms), not set(needed) <= {*query_terms(text.title)}))
    for text in fit:
        date = parse_moment(text.ts)
        if date is not None and not CHANGE_TERMS.isdisjoint(text.terms):
            return anchor_range(anchor, date, text.row, text.title)
    return None


def _with_terms(made: PreparedQuestion, spoken: Sequence[str], terms: Sequence[str]) -> PreparedQuestion:
    """Terms that stand nowhere, and function words, score nothing; common terms score but bring no candidates."""
    left = dict(choose_lookups({term: made.counts[term] for term in terms}, made.recipe.settings))
    told = {term: "tells nothing" for term in spoken if term in FUNCTION_TERMS}
    told |= {term: "stands nowhere" for term in spoken if made.counts.get(term) == 0} | left
    return replace(made, terms=terms, lookup_terms=[term for term in terms if term not in left], left_out=told)


def _with_words(made: PreparedQuestion, words: Sequence[tuple[str, str]]) -> PreparedQuestion:
    rare = [(rarity(made.counts.get(stem, 0), made.passages), word, stem) for word, stem in words]
    kept = sorted(sorted(range(len(rare)), key=lambda at: (-rare[at][0], at))[: made.recipe.settings.terms_most])
    total = sum(rare[at][0] for at in kept) or 1.0
    stems = [rare[at][2] for at in kept]
    return replace(
        made,
        words=[rare[at][1] for at in kept],
        stems=stems,
        weights=[rare[at][0] / total for at in kept],
        near=stem_nearness(stems),
    )


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Words that mean something, each once, with the term the index has for it; more where words are not spaced."""
    for word in list(dict.fromkeys(_WORD.findall(text.casefold())))[:COUNTED]:
        if word in FUNCTION_WORDS:
            continue
        terms = query_terms(word)
        yield from ((word, term) for term in (terms[-1:] if word.isascii() else terms))


def _names(made: PreparedQuestion, shelf: Shelf, totals: Totals) -> dict[str, object]:
    """The names in the question that tell something, rare ones heavier; and how much of the question they are."""
    if not made.recipe.named:
        return {}
    spoken = name_weight.name_runs(made.text)
    counts = shelf.name_counts(list(dict.fromkeys(run for size in spoken for run in size)))
    known = [name for name in name_weight.rare_names(counts, totals.groups) if name not in FUNCTION_WORDS]
    rows_of = name_weight.distinctive_rows(known, shelf, made.recipe.settings.rows_of_name_most)
    alone = {name: rows for name, rows in rows_of.items() if counts[name] == 1}
    own = {name for _, name in name_weight.titled_passages(alone, shelf)}
    linking = {name for name in rows_of if counts[name] > 1 or name in own}
    found = {name: counts[name] ** -0.5 for name in _longest_names(spoken, linking)}
    total = sum(found.values())
    inside = {word for name in found for word in name.split()}
    share = sum(weight for word, weight in zip(made.words, made.weights, strict=True) if word in inside)
    return {"names": {name: weight / total for name, weight in found.items()}, "name_share": share}


def _longest_names(spoken: Sequence[Sequence[str]], known: set[str]) -> Iterator[str]:
    """Of names that overlap, the longest."""
    free = [True] * name_weight.WORDS_MOST
    for size, each in zip(range(len(spoken), 0, -1), spoken, strict=True):
        for start, name in enumerate(each):
            if name in known and all(free[start : start + size]):
                free[start : start + size] = [False] * size
                yield name


def _with_static(made: PreparedQuestion, shelf: Shelf, static: StaticEmbedder) -> PreparedQuestion:
    """The mean of the question's tokens, the rare ones heavier; and nearness by the vectors of words."""
    ids = static.tokens([made.text])[0]
    rare = [rarity(count, made.passages) for count in shelf.token_counts(ids)]
    vectors = (
        load_attribute("holdfast.recall.engine.vector_lanes:asked_vector"),
        load_attribute("holdfast.recall.engine.vector_lanes:near_words"),
    )
    vector, near = vectors[0](static, ids, rare), vectors[1](static, made)
    return replace(made, static=vector, static_name=static.name, near=near)
