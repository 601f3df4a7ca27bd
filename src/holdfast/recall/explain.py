"""What search does with a question: what it reads in it, which lanes it asks, what it drops, and why."""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.memory import Entry
from holdfast.core.search import EVERYTHING, Hit, Question
from holdfast.core.value import Value, replace
from holdfast.embed.app_embedders import models
from holdfast.index.extract_names import spelled_in
from holdfast.index.name_kinds import FILE
from holdfast.recall.engine.engine_values import Range, Ranking
from holdfast.recall.engine.recipes import MEANING
from holdfast.recall.find import check
from holdfast.recall.graph.app_graph import Web
from holdfast.recall.graph.graph_around import Look
from holdfast.recall.rank import ranked
from holdfast.recall.rerank import Reranking
from holdfast.recall.select import unwanted_by
from holdfast.recall.words_lane import WordsLane
from holdfast.trust.allow import reachable
from holdfast.workspace import App

__all__ = ["Dropped", "Inspected", "LaneTold", "Named", "When", "inspect"]

WORDS = "words"
LOOKED_AT = 200
BY_WORDS_ALONE = "Search goes by words alone: "


class Named(Value):
    """A name in the question that the collection knows."""

    name: str
    kind: str
    written: str


class When(Value):
    """A time in the question: its words, from when to when, and the memory that dates it, if one does."""

    said: str
    start: str
    end: str
    why: str = ""
    anchor: str = ""


class LaneTold(Value):
    """A lane: what it counts, how many candidates it brought and speaks for; or why it is silent."""

    name: str
    weight: float = 0.0
    brought: int | None = None
    speaks_for: int = 0
    silent: str = ""


class Dropped(Value):
    """A candidate that is not among the hits, and why."""

    entry: Entry
    score: float
    why: str


class Inspected(Value):
    """All that search does with a question.

    `setting` is the recipe that was asked for, `recipe` the one that was followed. `more` counts candidates that others
    beat so far that they were not looked at. `reranking` is what the reranker did, where there is one.
    """

    setting: str
    recipe: str
    why_recipe: str
    terms: tuple[str, ...]
    left_out: Mapping[str, str]
    names: tuple[Named, ...]
    paths: tuple[str, ...]
    times: tuple[When, ...]
    gate: float
    coverage: float
    lanes: tuple[LaneTold, ...]
    candidates: int
    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...]
    more: int = 0
    reranking: Reranking | None = None


def inspect(app: App, question: Question, recipe: str = "") -> Inspected:
    """What search does with a question. Finds what search finds."""
    check(question)
    setting = recipe or str(app.settings["search.recipe"])
    done = ranked(app, question, recipe, rerank=True)
    held = _held(app, [hit.entry for hit in done.found.hits])
    hits = tuple(hit for hit in done.found.hits if _place(hit.entry) not in held)
    if done.ranking is None:
        return replace(_by_words(app, question, done.found.searched, hits, setting), reranking=done.reranking)
    ranking, web = done.ranking, Web(app)
    entries = web.entries([hit.row for hit in ranking.hits])
    scored = [(entries[hit.row], hit.score, hit.answers) for hit in ranking.hits if hit.row in entries]
    named = Look(app)
    return Inspected(
        setting=setting,
        recipe=ranking.recipe,
        why_recipe=_why_recipe(app, setting, ranking.recipe),
        terms=ranking.terms,
        left_out=ranking.left_out,
        names=tuple(_named(named, name) for name in ranking.names),
        paths=_paths(question),
        times=tuple(_when(each, web) for each in ranking.ranges),
        gate=ranking.gate,
        coverage=ranking.coverage,
        lanes=tuple(_lanes(app, ranking)),
        candidates=ranking.candidates,
        hits=hits,
        dropped=tuple(_dropped(app, question, scored, hits)),
        more=len(ranking.below),
        reranking=done.reranking,
    )


def _by_words(
    app: App, question: Question, searched: Mapping[str, object], hits: tuple[Hit, ...], setting: str
) -> Inspected:
    """Where words alone were asked."""
    every = WordsLane().run(replace(question, select=EVERYTHING), app.index)
    scored = [(each.entry, each.score, True) for each in every.scored]
    left_out = dict.fromkeys(_listed(searched.get("dropped")), "tells little: in many memories, or a function word")
    left_out |= dict.fromkeys(_listed(searched.get("unknown")), "stands nowhere")
    why = _why_recipe(app, setting, WORDS)
    silent = (LaneTold(name=lane, silent="only words were asked") for lane in _every_lane() if lane != WORDS)
    lane = LaneTold(name=WORDS, weight=1.0, brought=len(scored), speaks_for=len(scored))
    return Inspected(
        setting=setting,
        recipe=WORDS,
        why_recipe=why,
        terms=_listed(searched.get("terms")),
        left_out=left_out,
        names=(),
        paths=_paths(question),
        times=(),
        gate=0.0,
        coverage=0.0,
        lanes=(lane, *silent),
        candidates=len(scored),
        hits=hits,
        dropped=tuple(_dropped(app, question, scored[:LOOKED_AT], hits)),
        more=max(0, len(scored) - LOOKED_AT),
    )


def _dropped(
    app: App, question: Question, scored: Sequence[tuple[Entry, float, bool]], hits: Sequence[Hit]
) -> Iterator[Dropped]:
    """Every candidate that is no hit, best first, with the first reason against it."""
    kept = {_place(hit.entry) for hit in hits}
    unwanted, held = unwanted_by(question, app.index), _held(app, [entry for entry, _, _ in scored])
    for entry, score, answers in scored:
        if _place(entry) in kept or (app.client and _place(entry) in held):
            # Not even the title of what is held back is told to an agent; a notice says how many there are.
            continue
        # What is only near stands where anything answers.
        floor = "" if answers or hits else "below the floor: nothing in it answers"
        yield Dropped(entry=entry, score=score, why=unwanted(entry) or floor or f"over the limit of {question.limit}")


def _held(app: App, entries: Sequence[Entry]) -> set[tuple[str, str, int]]:
    """What may not be put before agents."""
    return {_place(entry) for entry in entries} - {_place(entry) for entry in reachable(app, entries)}


def _place(entry: Entry) -> tuple[str, str, int]:
    return str(entry.scope), entry.path, entry.line


def _named(look: Look, name: str) -> Named:
    node = look.name_node(name)
    return Named(name=name, kind=node.kind, written=node.title)


def _paths(question: Question) -> tuple[str, ...]:
    found = (written for kind, written in spelled_in(question.text).values() if kind == FILE)
    return tuple(dict.fromkeys(filter(None, (question.path, *found))))


def _when(asked: Range, web: Web) -> When:
    entries = web.entries([asked.anchor] if asked.anchor is not None else [])
    return When(
        said=asked.said,
        start=asked.start.isoformat() if asked.start else "",
        end=asked.end.isoformat() if asked.end else "",
        why=asked.why,
        anchor=next((entry.memory.id for entry in entries.values()), ""),
    )


def _lanes(app: App, ranking: Ranking) -> Iterator[LaneTold]:
    """The lanes that count, those that only bring candidates, and those that are silent."""
    speaks: dict[str, int] = {}
    for hit in ranking.hits:
        for said in hit.lanes:
            speaks[said.lane] = speaks.get(said.lane, 0) + (said.score > 0)
    heard = sorted(ranking.weights, key=lambda lane: -abs(ranking.weights[lane]))
    for lane in dict.fromkeys((*heard, *ranking.brought)):
        yield LaneTold(
            name=lane,
            weight=ranking.weights.get(lane, 0.0),
            brought=ranking.brought.get(lane),
            speaks_for=speaks.get(lane, 0),
            silent=ranking.silent.get(lane, ""),
        )
    for lane in _every_lane():
        if lane not in ranking.weights and lane not in ranking.brought:
            yield LaneTold(name=lane, silent=ranking.silent.get(lane) or _missing(app, lane, ranking.recipe))


def _every_lane() -> list[str]:
    return list(dict.fromkeys((*MEANING.plain, *MEANING.named, *MEANING.find)))


def _missing(app: App, lane: str, recipe: str) -> str:
    if lane.startswith("meaning"):
        return f"no encoder: `embedder` is {app.settings['embedder']}"
    return f"the recipe {recipe!r} does not weigh it"


def _why_recipe(app: App, setting: str, followed: str) -> str:
    """Why this recipe was followed."""
    missing = models(app).missing
    if setting == followed:
        return "asked for"
    if missing:
        return missing.removeprefix(BY_WORDS_ALONE)
    if setting == "auto" and followed == WORDS:
        return "one memory holds most of what was asked for, or there is no embedder"
    return f"{setting}, with the embedder {app.settings['embedder']}"


def _listed(found: object) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, tuple | list) else ()
