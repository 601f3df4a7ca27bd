"""Search by all lanes: where words alone do not settle a question, meaning and names are asked too.

Loading a table of vectors costs more than the rest of a cold search, so a question most of whose words stand in one
memory is answered by words. `search.recipe` says otherwise, for good or for one call.
"""

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from holdfast.core.errors import Unavailable
from holdfast.core.passage_store import MEMORY, SAID
from holdfast.core.search import Found, Hit, Question, SpokenHit
from holdfast.core.value import Value, replace
from holdfast.index.open_index import sqlite_index_of
from holdfast.recall.select import search as by_words
from holdfast.recall.select import wanted_filter
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.triple_store import Facts
    from holdfast.index.sqlite.sqlite_index import SqliteIndex
    from holdfast.recall.engine.engine_values import PassageContext, Ranking
    from holdfast.recall.rerank import Reranking

AUTO, WORDS = "auto", "words"
EMBEDDING_SECONDS = 2.0
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
    if not rerank or str(app.settings["search.reranker"]).strip() in {"", "none"}:
        return _search_lanes(app, question, recipe)
    from holdfast.recall.rerank_hits import TOP
    from holdfast.recall.rerank_hits import rerank as in_order

    deeper = _search_lanes(app, replace(question, limit=max(question.limit, TOP)), recipe)
    hits, done = in_order(app, question.text, deeper.found.hits)
    found = replace(deeper.found, hits=hits[: max(0, question.limit)])
    return replace(deeper, found=found, reranking=done)


def _search_lanes(app: App, question: Question, recipe: str) -> RankedAnswer:
    chosen = recipe or str(app.settings["search.recipe"])
    words = by_words(question, app.index) if chosen in {AUTO, WORDS} else None
    if words is not None and (chosen == WORDS or _is_settled_by_words(app, words)):
        return RankedAnswer(found=words)
    ranking = rank_passages(app, question.text, MEMORY, chosen, LOOKED_AT, path=question.path)
    if ranking is None:
        plain = words or by_words(question, app.index)
        if not plain.hits:
            _notice_words_only(app)
        return RankedAnswer(found=plain)
    return RankedAnswer(found=_build_found(app, question, ranking), ranking=ranking)


def rank_passages(app: App, text: str, place: str, recipe: str, limit: int, *, path: str = "") -> "Ranking | None":
    """A ranking of a collection's passages; None where there is nothing but words to go by."""
    from holdfast.embed.app_embedders import open_embedders, refresh_vectors

    there = open_embedders(app)
    if there.static is None and there.encoder is None and recipe == AUTO:
        return None
    # Only from here on is numpy needed: an install for words alone has none.
    try:
        from holdfast.index.sqlite.sqlite_shelf import SqliteShelf
    except ModuleNotFoundError as missing:
        told = f"The recipe {recipe!r} needs the package {missing.name!r}, which is not installed."
        raise Unavailable(told, "install Holdfast with `[meaning]`, or ask with --recipe words.") from None
    from holdfast.recall.engine.engine_values import PassageContext
    from holdfast.recall.engine.find_passages import find
    from holdfast.recall.engine.recipes import DEFAULT, MEANING, RECIPES

    store = sqlite_index_of(app)
    try:
        left = refresh_vectors(app, store, place, there, EMBEDDING_SECONDS)
    except Unavailable as trouble:
        # An endpoint that does not answer leaves its lane silent.
        app.notices.append(f"{trouble} {trouble.hint}".rstrip())
        left = 0
    if left:
        app.notices.append(f"{left} passages have no vector yet and are found by words; the next search goes on.")
    meant = RECIPES.get(recipe) or (MEANING if there.encoder else DEFAULT)
    shelf, now = SqliteShelf(store.connection, place), app.clock.now()
    standing = _load_standing(app, store, text, path) if place == MEMORY else PassageContext()
    if standing.facts is not None:
        from holdfast.index.sqlite.triple_shelf import FactShelf

        shelf = FactShelf(store.connection, place, standing.facts)
    return find(text, shelf, there.static, there.encoder, meant, limit, now=now, standing=standing)


def _notice_words_only(app: App) -> None:
    from holdfast.embed.app_embedders import open_embedders

    why = open_embedders(app).missing
    if why and why not in app.notices:
        app.notices.append(why)


def _load_standing(app: App, store: "SqliteIndex", text: str, path: str) -> "PassageContext":
    """Where memories hold and what use they were of, for the lanes that ask."""
    from holdfast.index.extract_names import spell_names
    from holdfast.index.name_kinds import FILE
    from holdfast.recall.engine.engine_values import PassageContext
    from holdfast.records.memory_use import read_use_counts

    named = (written for kind, written in spell_names(text[:LONGEST]).values() if kind == FILE)
    used = {name: count for name, (_, count) in read_use_counts(app).items() if count}

    def used_of(rows: Sequence[int]) -> Mapping[int, int]:
        ids = store.ids(rows) if used else {}
        return {row: used[name] for row, name in ids.items() if name in used}

    paths = tuple(dict.fromkeys(filter(None, (path, *named))))
    return PassageContext(paths=paths, globs_of=store.globs, used_of=used_of, facts=_load_facts(app))


def _load_facts(app: App) -> "Facts | None":
    """Triples, where they are on. Only then is loaded what reads them."""
    if app.settings["graph.triples"] == "none":
        return None
    from holdfast.recall.triples.app_triples import open_facts

    return open_facts(app)


def _is_settled_by_words(app: App, found: Found) -> bool:
    """Whether one of the best hits by words holds most of the question, rare words counting more."""
    terms, unknown = (found.searched.get(name) for name in ("terms", "unknown"))
    if not found.hits or not isinstance(terms, tuple) or not isinstance(unknown, tuple):
        return False
    counts, passages = app.index.frequencies(terms)
    weights = {term: log(1 + passages / (1 + counts.get(term, 0))) for term in terms}
    whole = sum(weights.values()) + len(unknown) * log(1 + passages)
    best = max(sum(weights[term] for term in _match_terms(hit, terms)) for hit in found.hits[:3])
    return best >= SETTLED * whole


def _match_terms(hit: Hit, terms: Sequence[str]) -> list[str]:
    why = " ".join(lane.why for lane in hit.lanes)
    matched = {word.strip(",;") for word in why.split()}
    return [term for term in terms if term in matched]


def _build_found(app: App, question: Question, ranking: "Ranking") -> Found:
    store = sqlite_index_of(app)
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
