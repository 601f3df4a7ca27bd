"""Search by all lanes: where words alone do not settle a question, meaning and names are asked too.

Loading a table of vectors costs more than the rest of a cold search, so a question most of whose words stand in one
memory is answered by words. `search.recipe` says otherwise, for good or for one call.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from math import log
from typing import TYPE_CHECKING

from holdfast.core.errors import Unavailable
from holdfast.core.passage_store import MEMORY, SAID
from holdfast.core.search import Found, Hit, Question, SpokenHit
from holdfast.core.value import Value, replace
from holdfast.index.open_index import sqlite_index_of
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.recall.select import search as by_words
from holdfast.recall.select import wanted_filter
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.index_store import RankedIndex
    from holdfast.core.shelf import Shelf
    from holdfast.core.triple_store import Facts
    from holdfast.embed.app_embedders import OpenedEmbedders
    from holdfast.recall.engine.engine_values import PassageContext, Ranking
    from holdfast.recall.rerank import Reranking

AUTO, WORDS = "auto", "words"
EMBEDDING_SECONDS = 2.0
# So many get their vector in the background before anybody asks again: nothing to tell.
FEW_LEFT = 20
# Filters may throw most of a ranking away.
LOOKED_AT = 200
# Measured on bench/recall/coding: where a hit by words holds so much of a question, other lanes find nothing better.
SETTLED = 0.6
# Names of files are looked for in the beginning of a question.
LONGEST = 2_000


class RankedAnswer(Value):
    """An answer, the ranking behind it where one was made, and what a reranker did with it."""

    found: Found
    ranking: "Ranking | None" = None
    reranking: "Reranking | None" = None


def search_ranked(app: App, question: Question, recipe: str = "", *, rerank: bool = False) -> RankedAnswer:
    """The best hits, by the lanes that the recipe names; with `rerank`, in the order of the reranker that is set."""
    return search_indexes(app, question, [sqlite_index_of(app)], recipe, rerank=rerank)[0]


def search_while_writing(app: App, question: Question) -> Found:
    """The best hits for somebody who waits for a write: most new memories get their vectors later, not now."""
    return _search_lanes(app, question, [sqlite_index_of(app)], "", few=True)[0].found


def search_indexes(
    app: App, question: Question, stores: "Sequence[RankedIndex]", recipe: str = "", *, rerank: bool = False
) -> list[RankedAnswer]:
    """The answer of each index. All follow one recipe: where words settle the question in one, they do for all."""
    if not rerank or str(app.settings["search.reranker"]).strip() in {"", "none"}:
        return _search_lanes(app, question, stores, recipe)
    from holdfast.recall.rerank_hits import TOP

    deeper = _search_lanes(app, replace(question, limit=max(question.limit, TOP)), stores, recipe)
    return [_rerank(app, question, each) for each in deeper]


def _rerank(app: App, question: Question, deeper: RankedAnswer) -> RankedAnswer:
    from holdfast.recall.rerank_hits import rerank as in_order

    hits, done = in_order(app, question.text, deeper.found.hits)
    found = replace(deeper.found, hits=hits[: max(0, question.limit)])
    return replace(deeper, found=found, reranking=done)


def _search_lanes(
    app: App, question: Question, stores: "Sequence[RankedIndex]", recipe: str, *, few: bool = False
) -> list[RankedAnswer]:
    chosen = recipe or str(app.settings["search.recipe"])
    words = [by_words(question, store) for store in stores] if chosen in {AUTO, WORDS} else []
    if words and (chosen == WORDS or any(map(_is_settled_by_words, stores, words))):
        return [RankedAnswer(found=each) for each in words]
    rankings = _rank_indexes(app, replace(question, limit=LOOKED_AT), stores, MEMORY, chosen, few=few)
    if rankings is None:
        plain = words or [by_words(question, store) for store in stores]
        if not any(each.hits for each in plain):
            _notice_words_only(app)
        return [RankedAnswer(found=each) for each in plain]
    return [
        RankedAnswer(found=_build_found(store, question, ranking), ranking=ranking)
        for store, ranking in zip(stores, rankings, strict=True)
    ]


def rank_passages(app: App, text: str, place: str, recipe: str, limit: int, *, path: str = "") -> "Ranking | None":
    """A ranking of a collection's passages; None where there is nothing but words to go by."""
    question = Question(text=text, limit=limit, path=path)
    found = _rank_indexes(app, question, [sqlite_index_of(app)], place, recipe)
    return None if found is None else found[0]


def _rank_indexes(
    app: App, question: Question, stores: "Sequence[RankedIndex]", place: str, recipe: str, *, few: bool = False
) -> "list[Ranking] | None":
    from holdfast.embed.app_embedders import choose_ready, open_embedders

    there = open_embedders(app)
    if there.static is None and there.encoder is None and recipe == AUTO:
        return None
    # Only from here on is numpy needed: an install for words alone has none.
    if find_spec("numpy") is None:
        told = f"The recipe {recipe!r} needs the package 'numpy', which is not installed."
        raise Unavailable(told, "install Holdfast with `[meaning]`, or ask with --recipe words.")
    shelves = [store.shelf(place) for store in stores]
    from holdfast.recall.engine.engine_values import PassageContext
    from holdfast.recall.engine.find_passages import find
    from holdfast.recall.engine.recipes import DEFAULT, MEANING, RECIPES

    put_missing_vectors(app, stores, place, there, few=few)
    there = choose_ready(app, stores, place, there)
    meant = RECIPES.get(recipe) or (MEANING if there.encoder else DEFAULT)
    now, rankings = app.clock.now(), []
    for store, plain in zip(stores, shelves, strict=True):
        shelf, standing = (
            _load_standing(app, store, plain, question.text, question.path)
            if place == MEMORY
            else (plain, PassageContext())
        )
        rankings.append(
            find(question.text, shelf, there.static, there.encoder, meant, question.limit, now=now, standing=standing)
        )
    return rankings


def put_missing_vectors(
    app: App, stores: "Sequence[RankedIndex]", place: str, there: "OpenedEmbedders", *, few: bool = False
) -> None:
    """Give passages without a vector theirs, as many as a moment allows; how many are left is a notice.

    `few`: only the newest, unasked, and nothing is said of the rest.
    """
    from holdfast.embed.app_embedders import refresh_few_vectors, refresh_vectors, start_embedding

    try:
        if few:
            left = refresh_few_vectors(app, stores, place, there)
        else:
            left = refresh_vectors(app, stores, place, there, EMBEDDING_SECONDS)
    except Unavailable as trouble:
        # An endpoint that does not answer leaves its lane silent.
        app.notices.append(f"{trouble} {trouble.hint}".rstrip())
        left = 0
    if left:
        start_embedding(app)
    if left > FEW_LEFT and not few:
        app.notices.append(f"{left} passages have no vector yet and are found by words; the rest is made meanwhile.")


def _notice_words_only(app: App) -> None:
    from holdfast.embed.app_embedders import open_embedders

    why = open_embedders(app).missing
    if why and why not in app.notices:
        app.notices.append(why)


def _load_standing(
    app: App, store: "RankedIndex", shelf: "Shelf", text: str, path: str
) -> "tuple[Shelf, PassageContext]":
    """Where memories hold and what use they were of, for the lanes that ask; and the shelf with what triples add.

    Use and triples are this workspace's: of the memories in another index neither is known.
    """
    from holdfast.index.extract_names import spell_names
    from holdfast.index.name_kinds import FILE
    from holdfast.recall.engine.engine_values import PassageContext

    named = (written for kind, written in spell_names(text[:LONGEST]).values() if kind == FILE)
    paths = tuple(dict.fromkeys(filter(None, (path, *named))))
    standing = PassageContext(paths=paths, globs_of=store.globs, memories=True)
    if not isinstance(store, SqliteIndex):
        return shelf, standing
    standing = replace(standing, used_of=_load_use(app, store), facts=_load_facts(app))
    if standing.facts is None:
        return shelf, standing
    from holdfast.index.sqlite.triple_shelf import FactShelf

    return FactShelf(store.connection, MEMORY, standing.facts), standing


def _load_use(app: App, store: SqliteIndex) -> Callable[[Sequence[int]], Mapping[int, int]]:
    from holdfast.records.memory_use import read_use_counts

    used = {name: count for name, (_, count) in read_use_counts(app).items() if count}

    def used_of(rows: Sequence[int]) -> Mapping[int, int]:
        ids = store.ids(rows) if used else {}
        return {row: used[name] for row, name in ids.items() if name in used}

    return used_of


def _load_facts(app: App) -> "Facts | None":
    """Triples, where they are on. Only then is loaded what reads them."""
    if app.settings["graph.triples"] == "none":
        return None
    from holdfast.recall.triples.app_triples import open_facts

    return open_facts(app)


def _is_settled_by_words(store: "RankedIndex", found: Found) -> bool:
    """Whether one of the best hits by words holds most of the question, rare words counting more."""
    terms, unknown = (found.searched.get(name) for name in ("terms", "unknown"))
    if not found.hits or not isinstance(terms, tuple) or not isinstance(unknown, tuple):
        return False
    counts, passages = store.frequencies(terms)
    weights = {term: log(1 + passages / (1 + counts.get(term, 0))) for term in terms}
    whole = sum(weights.values()) + len(unknown) * log(1 + passages)
    best = max(sum(weights[term] for term in _match_terms(hit, terms)) for hit in found.hits[:3])
    return best >= SETTLED * whole


def _match_terms(hit: Hit, terms: Sequence[str]) -> list[str]:
    why = " ".join(lane.why for lane in hit.lanes)
    matched = {word.strip(",;") for word in why.split()}
    return [term for term in terms if term in matched]


def _build_found(store: "RankedIndex", question: Question, ranking: "Ranking") -> Found:
    entries = store.entries([hit.row for hit in ranking.hits])
    wanted = wanted_filter(question, store)
    meant = [hit for hit in ranking.hits if hit.row in entries and wanted(entries[hit.row])]
    # Something is always nearest. Where nothing at all speaks of the question, that is no answer.
    if not any(hit.answers for hit in meant):
        meant = []
    hits = [
        Hit(entry=entries[hit.row], score=hit.score, lanes=hit.lanes, weak=not (hit.answers and hit.worded))
        for hit in meant
    ]
    lanes = dict.fromkeys(lane.lane for hit in hits for lane in hit.lanes)
    return Found(
        hits=tuple(hits[: max(0, question.limit)]),
        searched={
            "memories": store.frequencies(())[1],
            "terms": ranking.terms,
            "recipe": ranking.recipe,
            "lanes": tuple(lanes),
            "candidates": ranking.candidates,
        },
    )


def rank_spoken(app: App, text: str, kinds: Sequence[str], limit: int) -> "tuple[SpokenHit, ...] | None":
    """What was said that answers best; None where there is nothing but words to go by."""
    ranking = rank_passages(app, text, SAID, AUTO, limit * 8) if app.settings["search.recipe"] != WORDS else None
    if ranking is None:
        return None
    store = sqlite_index_of(app)
    hits = ranking.hits if any(hit.answers for hit in ranking.hits) else ()
    said = store.spoken_hits([(hit.row, hit.score) for hit in hits])
    return tuple(each for each in said if each.spoken.kind in kinds)
