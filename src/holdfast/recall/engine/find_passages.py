"""The engine: candidates by words and vectors, a first look, more by names, then every lane of the recipe."""

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from threading import Thread

from holdfast.core.embedder import Embedder, Floats, StaticEmbedder
from holdfast.core.errors import Unavailable
from holdfast.core.shelf import Shelf
from holdfast.core.value import replace
from holdfast.recall.engine.answer_floor import above_floor
from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import LaneValues, PassageContext, PreparedQuestion, Ranking, Recipe
from holdfast.recall.engine.fuse import LaneVerdicts, rank_candidates, replace_non_finite
from holdfast.recall.engine.lane_protocol import FindingLane
from holdfast.recall.engine.lane_registry import load_lane
from holdfast.recall.engine.prepare_question import LONGEST
from holdfast.recall.engine.prepare_question import prepare_question as ask
from holdfast.recall.engine.recipes import DEFAULT, RECIPES
from holdfast.recall.engine.relevance import Relevance, judge_relevance, load_gate
from holdfast.recall.engine.rule_lanes import find_later_rules
from holdfast.recall.engine.soft_words import best_coverage
from holdfast.recall.engine.triple_lanes import add_facts

UNKNOWN = PassageContext()


def find(  # noqa: PLR0913  # the engine's one door
    text: str,
    shelf: Shelf,
    static: StaticEmbedder | None = None,
    encoder: Embedder | None = None,
    recipe: Recipe = DEFAULT,
    limit: int = 10,
    *,
    now: datetime | None = None,
    standing: PassageContext = UNKNOWN,
) -> Ranking:
    """The passages that answer best. Without what the recipe needs, the one that it names instead is followed."""

    def answer() -> Ranking:
        judged = judge_candidates(text, shelf, static, encoder, recipe, now=now, standing=standing)
        return rank_candidates(judged, judged.asking.recipe, limit)

    with _pause_gc():
        return answer()


@contextmanager
def _pause_gc() -> Iterator[None]:
    """A question makes thousands of values and no cycle: looking for one takes 10 ms in a large process.

    What is made inside should be gone at the end, when Python may look again.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def judge_candidates(
    text: str,
    shelf: Shelf,
    static: StaticEmbedder | None,
    encoder: Embedder | None,
    recipe: Recipe,
    *,
    now: datetime | None = None,
    standing: PassageContext = UNKNOWN,
) -> LaneVerdicts:
    """What every lane of the recipe says of the candidates."""
    meaning, trouble = _embed_question(encoder, text)
    recipe = choose_recipe(recipe, {"static": static is not None, "encoder": meaning is not None})
    totals = shelf.totals()
    asked = ask(text, shelf, totals, recipe, static=static, meaning=meaning, now=now)
    asked = add_facts(replace(asked, standing=standing), shelf, totals)
    table = Table(asked, shelf, totals)
    _gather_candidates(asked, table)
    gate = min(recipe.settings.gate_top, recipe.settings.gate_slope * asked.name_share)
    seen, silent = _ask_lanes(asked, table, gate)
    relevance = judge_relevance(asked, table)
    return LaneVerdicts(
        asking=asked,
        rows=table.rows,
        seen=seen,
        silent=silent | trouble,
        coverage=best_coverage(asked, table),
        gate=gate,
        found_counts=table.kept["found_counts"],
        answers=_answering(asked, table, relevance),
        worded=[bool(table.stems(row)) for row in table.rows],
        relevance=relevance,
        shared=[_shared_words(asked, table.stems(row)) for row in table.rows],
        later=find_later_rules(asked, table) if "rules" in seen else {},
    )


def _answering(asked: PreparedQuestion, table: Table, relevance: Relevance) -> list[bool]:
    """For each candidate, whether anything in it answers. Where an encoder read both, its gate says so of meaning.

    The gate was learned on sentences: it cannot judge a question of a single word.
    """
    if relevance.model != "meaning" or not asked.standing.memories or len(asked.words) <= 1:
        return above_floor(asked, table)
    opens = load_gate(relevance.model).opens(relevance.logits)
    return [opens or any(map(table.counts, table.window(row))) for row in table.rows]


def _shared_words(asked: PreparedQuestion, held: Mapping[str, int]) -> list[str]:
    return [word for word, stem in zip(asked.words, asked.stems, strict=True) if stem in held]


def choose_recipe(recipe: Recipe, there: Mapping[str, bool]) -> Recipe:
    """The recipe, or the one that does with what is there."""
    while recipe.needs and not there.get(recipe.needs):
        recipe = RECIPES[recipe.otherwise]
    return recipe


def _embed_question(encoder: Embedder | None, text: str) -> tuple[tuple[str, Floats] | None, dict[str, str]]:
    """The question's vector with its model; or why there is none."""
    if encoder is None:
        return None, {}
    try:
        return (encoder.name, encoder.embed([text[:LONGEST]], query=True)[0]), {}
    except Unavailable as error:
        return None, {"meaning": str(error)}


def _gather_candidates(asking: PreparedQuestion, table: Table) -> None:
    """Rows by every finding lane and those whose windows hold the best of them; of these the best at first look."""
    settings = asking.recipe.settings
    found = _find_rows(asking, table)
    best = {row for rows in found.values() for row in rows[: settings.widened_most]}
    # A passage stands in the windows of those up to `after` before it and `before` after it.
    wide = table.shelf.around(sorted(best), settings.after, settings.before)
    table.set_rows((*_flatten_rows(found.values()), *_flatten_rows(wide.values())))
    kept = _first_look(asking, table)[: settings.kept_most]
    followed = [_rows(asking, table, name, limit) for name, limit in asking.recipe.expand.items()]
    table.set_rows((*kept, *_flatten_rows(followed)))
    lanes = (*found.items(), *zip(asking.recipe.expand, followed, strict=True))
    table.kept["found_counts"] = {name: len(rows) for name, rows in lanes}


def _find_rows(asking: PreparedQuestion, table: Table) -> dict[str, list[int]]:
    """The rows of every finding lane. One that only reckons does so beside those that wait for the disk."""
    wanted = asking.recipe.find
    beside = [
        _ThreadedRows(asking, table, name, limit) for name, limit in wanted.items() if _is_computed(asking, table, name)
    ]
    aside = {each.name: each for each in beside}
    found = {name: [] if name in aside else _rows(asking, table, name, limit) for name, limit in wanted.items()}
    return found | {name: each.result() for name, each in aside.items()}


def _is_computed(asking: PreparedQuestion, table: Table, name: str) -> bool:
    reckons = getattr(load_lane(name), "reckons", None)
    return reckons is not None and reckons(asking, table)


class _ThreadedRows:
    """A lane's rows, worked out in a thread of its own."""

    def __init__(self, asking: PreparedQuestion, table: Table, name: str, limit: int) -> None:
        self.name = name
        self._rows: list[int] = []
        self._trouble: Exception | None = None
        self._thread = Thread(target=self._work, args=(asking, table, limit))
        self._thread.start()

    def result(self) -> list[int]:
        """The rows, once they are there."""
        self._thread.join()
        if self._trouble is not None:
            raise self._trouble
        return self._rows

    def _work(self, asking: PreparedQuestion, table: Table, limit: int) -> None:
        try:
            self._rows = _rows(asking, table, self.name, limit)
        except Exception as error:
            # It is raised where it is waited for.
            self._trouble = error


def _first_look(asking: PreparedQuestion, table: Table) -> list[int]:
    """The candidates, best first, by some lanes only."""
    recipe = asking.recipe
    summed = [0.0] * len(table.rows)
    for name, weight in recipe.look.items():
        seen = load_lane(name).see(asking, table) if summed else None
        if seen is not None:
            summed = [
                total + weight * value for total, value in zip(summed, replace_non_finite(seen.values), strict=True)
            ]
    most = max(summed, default=0.0) or 1.0
    table.look = {row: total / most for row, total in zip(table.rows, summed, strict=True)}
    best = sorted(table.look, key=lambda row: (-table.look[row], row))
    table.seeds = best[: recipe.settings.seeds]
    return best


def _ask_lanes(asking: PreparedQuestion, table: Table, gate: float) -> tuple[dict[str, LaneValues], dict[str, str]]:
    recipe = asking.recipe
    heard = dict.fromkeys((*(recipe.plain if gate < 1 else ()), *(recipe.named if gate > 0 else ())))
    seen: dict[str, LaneValues] = {}
    silent = {name: "no names in the question" for name in recipe.named if name not in heard}
    for name in heard:
        found = load_lane(name).see(asking, table) if table.rows else None
        if found is None:
            silent[name] = "nothing to say"
        else:
            seen[name] = replace(found, values=replace_non_finite(found.values))
    return seen, silent


def _rows(asking: PreparedQuestion, table: Table, name: str, limit: int) -> list[int]:
    finding: FindingLane = load_lane(name)  # type: ignore[assignment]  # a recipe's `find` and `follow` name such lanes
    return list(finding.rows(asking, table, limit))


def _flatten_rows(found: Iterable[Iterable[int]]) -> list[int]:
    return [row for rows in found for row in rows]
