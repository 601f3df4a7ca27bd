"""What search does with a question: what it reads in it, which lanes it asks, what it drops, and why."""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.memory import Entry
from holdfast.core.passage_store import MEMORY
from holdfast.core.search import EVERYTHING, Hit, Question
from holdfast.core.value import Value, replace
from holdfast.embed.app_embedders import choose_ready, open_embedders
from holdfast.index.extract_names import spell_names
from holdfast.index.name_kinds import FILE
from holdfast.index.open_index import sqlite_index_of
from holdfast.recall.engine.engine_values import Ranking, TimeRange
from holdfast.recall.engine.recipes import MEANING
from holdfast.recall.find import check_question
from holdfast.recall.graph.app_graph import AppGraph
from holdfast.recall.graph.graph_around import GraphWalker
from holdfast.recall.rank import search_ranked
from holdfast.recall.relevance import RelevanceAnswer, find_relevant
from holdfast.recall.rerank import Reranking
from holdfast.recall.select import why_unwanted
from holdfast.recall.words_lane import WordsLane
from holdfast.records.injection_marks import read_marks
from holdfast.trust.allow import filter_visible
from holdfast.workspace import App

__all__ = ["DroppedCandidate", "LaneReport", "QuestionName", "QuestionTime", "SearchInspection", "inspect_search"]

WORDS = "words"
LOOKED_AT = 200
BY_WORDS_ALONE = "Search goes by words alone: "


class QuestionName(Value):
    """A name in the question that the collection knows."""

    name: str
    kind: str
    written: str


class QuestionTime(Value):
    """A time in the question: its words, from when to when, and the memory that dates it, if one does."""

    phrase: str
    start: str
    end: str
    why: str = ""
    anchor: str = ""


class LaneReport(Value):
    """A lane: what it counts, how many candidates it brought and speaks for; or why it is silent."""

    name: str
    weight: float = 0.0
    brought: int | None = None
    speaks_for: int = 0
    silent: str = ""


class DroppedCandidate(Value):
    """A candidate that is not among the hits, and why."""

    entry: Entry
    score: float
    why: str


class SearchInspection(Value):
    """All that search does with a question.

    `setting` is the recipe that was asked for, `recipe` the one that was followed. `more` counts candidates that others
    beat so far that they were not looked at. `reranking` is what the reranker did, where there is one.
    """

    setting: str
    recipe: str
    why_recipe: str
    terms: tuple[str, ...]
    left_out: Mapping[str, str]
    names: tuple[QuestionName, ...]
    paths: tuple[str, ...]
    times: tuple[QuestionTime, ...]
    gate: float
    coverage: float
    lanes: tuple[LaneReport, ...]
    candidates: int
    hits: tuple[Hit, ...]
    dropped: tuple[DroppedCandidate, ...]
    more: int = 0
    reranking: Reranking | None = None
    relevance: RelevanceAnswer = RelevanceAnswer()


def inspect_search(app: App, question: Question, recipe: str = "") -> SearchInspection:
    """What search does with a question, and what an agent would be told at it as a prompt. Finds what search finds."""
    return replace(_inspect_search(app, question, recipe), relevance=_inspect_relevance(app, question))


def _inspect_relevance(app: App, question: Question) -> RelevanceAnswer:
    store = sqlite_index_of(app)
    embedders = choose_ready(app, [store], MEMORY, open_embedders(app))
    paths, marks = _paths(question), read_marks(app)
    answer = find_relevant(question.text, store, embedders=embedders, paths=paths, marks=marks)
    held = _find_held_back(app, [each.entry for each in answer.found])
    return replace(answer, found=tuple(each for each in answer.found if _place(each.entry) not in held))


def _inspect_search(app: App, question: Question, recipe: str) -> SearchInspection:
    check_question(question)
    setting = recipe or str(app.settings["search.recipe"])
    done = search_ranked(app, question, recipe, rerank=True)
    held = _find_held_back(app, [hit.entry for hit in done.found.hits])
    hits = tuple(hit for hit in done.found.hits if _place(hit.entry) not in held)
    if done.ranking is None:
        return replace(_inspect_words_only(app, question, done.found.searched, hits, setting), reranking=done.reranking)
    ranking, web = done.ranking, AppGraph(app)
    entries = web.entries([hit.row for hit in ranking.hits])
    scored = [(entries[hit.row], hit.score, hit.answers) for hit in ranking.hits if hit.row in entries]
    named = GraphWalker(app)
    return SearchInspection(
        setting=setting,
        recipe=ranking.recipe,
        why_recipe=_explain_recipe(app, setting, ranking.recipe),
        terms=ranking.terms,
        left_out=ranking.left_out,
        names=tuple(_describe_name(named, name) for name in ranking.names),
        paths=_paths(question),
        times=tuple(_describe_time(each, web) for each in ranking.ranges),
        gate=ranking.gate,
        coverage=ranking.coverage,
        lanes=tuple(_describe_lanes(app, ranking)),
        candidates=ranking.candidates,
        hits=hits,
        dropped=tuple(_find_dropped(app, question, scored, hits)),
        more=len(ranking.below),
        reranking=done.reranking,
    )


def _inspect_words_only(
    app: App, question: Question, searched: Mapping[str, object], hits: tuple[Hit, ...], setting: str
) -> SearchInspection:
    """Where words alone were asked."""
    every = WordsLane().run(replace(question, select=EVERYTHING), app.index)
    scored = [(each.entry, each.score, True) for each in every.scored]
    left_out = dict.fromkeys(_to_texts(searched.get("dropped")), "tells little: in many memories, or a function word")
    left_out |= dict.fromkeys(_to_texts(searched.get("unknown")), "stands nowhere")
    why = _explain_recipe(app, setting, WORDS)
    silent = (LaneReport(name=lane, silent="only words were asked") for lane in _list_lanes() if lane != WORDS)
    lane = LaneReport(name=WORDS, weight=1.0, brought=len(scored), speaks_for=len(scored))
    return SearchInspection(
        setting=setting,
        recipe=WORDS,
        why_recipe=why,
        terms=_to_texts(searched.get("terms")),
        left_out=left_out,
        names=(),
        paths=_paths(question),
        times=(),
        gate=0.0,
        coverage=0.0,
        lanes=(lane, *silent),
        candidates=len(scored),
        hits=hits,
        dropped=tuple(_find_dropped(app, question, scored[:LOOKED_AT], hits)),
        more=max(0, len(scored) - LOOKED_AT),
    )


def _find_dropped(
    app: App, question: Question, scored: Sequence[tuple[Entry, float, bool]], hits: Sequence[Hit]
) -> Iterator[DroppedCandidate]:
    """Every candidate that is no hit, best first, with the first reason against it."""
    kept = {_place(hit.entry) for hit in hits}
    unwanted, held = why_unwanted(question, app.index), _find_held_back(app, [entry for entry, _, _ in scored])
    for entry, score, answers in scored:
        if _place(entry) in kept or (app.client and _place(entry) in held):
            # Not even the title of what is held back is told to an agent; a notice says how many there are.
            continue
        # What is only near stands where anything answers.
        floor = "" if answers or hits else "below the floor: nothing in it answers"
        yield DroppedCandidate(
            entry=entry, score=score, why=unwanted(entry) or floor or f"over the limit of {question.limit}"
        )


def _find_held_back(app: App, entries: Sequence[Entry]) -> set[tuple[str, str, int]]:
    """What may not be put before agents."""
    return {_place(entry) for entry in entries} - {_place(entry) for entry in filter_visible(app, entries)}


def _place(entry: Entry) -> tuple[str, str, int]:
    return str(entry.scope), entry.path, entry.line


def _describe_name(look: GraphWalker, name: str) -> QuestionName:
    node = look.name_node(name)
    return QuestionName(name=name, kind=node.kind, written=node.title)


def _paths(question: Question) -> tuple[str, ...]:
    found = (written for kind, written in spell_names(question.text).values() if kind == FILE)
    return tuple(dict.fromkeys(filter(None, (question.path, *found))))


def _describe_time(asked: TimeRange, web: AppGraph) -> QuestionTime:
    entries = web.entries([asked.anchor] if asked.anchor is not None else [])
    return QuestionTime(
        phrase=asked.phrase,
        start=asked.start.isoformat() if asked.start else "",
        end=asked.end.isoformat() if asked.end else "",
        why=asked.why,
        anchor=next((entry.memory.id for entry in entries.values()), ""),
    )


def _describe_lanes(app: App, ranking: Ranking) -> Iterator[LaneReport]:
    """The lanes that count, those that only bring candidates, and those that are silent."""
    speaks: dict[str, int] = {}
    for hit in ranking.hits:
        for said in hit.lanes:
            speaks[said.lane] = speaks.get(said.lane, 0) + (said.score > 0)
    heard = sorted(ranking.weights, key=lambda lane: -abs(ranking.weights[lane]))
    for lane in dict.fromkeys((*heard, *ranking.found_counts)):
        yield LaneReport(
            name=lane,
            weight=ranking.weights.get(lane, 0.0),
            brought=ranking.found_counts.get(lane),
            speaks_for=speaks.get(lane, 0),
            silent=ranking.silent.get(lane, ""),
        )
    for lane in _list_lanes():
        if lane not in ranking.weights and lane not in ranking.found_counts:
            yield LaneReport(
                name=lane, silent=ranking.silent.get(lane) or _explain_missing_lane(app, lane, ranking.recipe)
            )


def _list_lanes() -> list[str]:
    return list(dict.fromkeys((*MEANING.plain, *MEANING.named, *MEANING.find)))


def _explain_missing_lane(app: App, lane: str, recipe: str) -> str:
    if lane.startswith("meaning"):
        return f"no encoder: `embedder` is {app.settings['embedder']}"
    return f"the recipe {recipe!r} does not weigh it"


def _explain_recipe(app: App, setting: str, followed: str) -> str:
    """Why this recipe was followed."""
    missing = open_embedders(app).missing
    if setting == followed:
        return "asked for"
    if missing:
        return missing.removeprefix(BY_WORDS_ALONE)
    if setting == "auto" and followed == WORDS:
        return "one memory holds most of what was asked for, or there is no embedder"
    return f"{setting}, with the embedder {app.settings['embedder']}"


def _to_texts(found: object) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, tuple | list) else ()
