"""What the engine speaks of: recipes, lanes, what they see, and the ranking they make together."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from holdfast.core.embedder import Floats
from holdfast.core.search import LaneScore
from holdfast.core.shelf import Text
from holdfast.core.triple_store import Facts
from holdfast.core.value import Value

# Of texts and the terms that each holds: how near each comes to every word of the question.
Near = Callable[[Sequence[Text], Sequence[Mapping[str, int]]], Sequence[Sequence[float]]]


class EngineSettings(Value):
    """Every constant of the engine but the weights. Numbers that end in `most` keep a question from costing too much.

    `k1` and `b` are BM25's; a window reaches `before` and `after` places; `soft_*` say when words are near; `seed*`,
    `damping`, `steps` and `walk_*` are of the walk; `gate_*` say how far names are heard; `fresh` is in days.
    """

    k1: float = 0.9
    b: float = 0.4
    before: int = 2
    after: int = 1
    postings_most: int = 5_000
    terms_most: int = 64
    widened_most: int = 25
    kept_most: int = 80
    full_length: int = 20
    soft_floor: float = 0.3
    soft_power: float = 2.0
    seeds: int = 20
    seed_power: float = 8.0
    damping: float = 0.7
    steps: int = 20
    walk_floor: float = 1e-4
    walk_rows_most: int = 400
    walk_names_most: int = 300
    rows_of_name_most: int = 50
    gate_slope: float = 2.0
    gate_top: float = 0.9
    fresh: float = 30.0


class Recipe(Value):
    """How a ranking is made, as data.

    `needs` says what must be there (`static`, `encoder` or nothing), `otherwise` which recipe serves without it.
    `find` names the lanes that bring candidates and how many, `look` weighs the first look at them, `expand` names the
    lanes that bring more after it. `plain` weighs the lanes for a question without names, `named` for one that is all
    names; those in `covered` count less where no passage covers the question.
    """

    name: str
    find: Mapping[str, int]
    look: Mapping[str, float]
    plain: Mapping[str, float]
    named: Mapping[str, float] = {}
    expand: Mapping[str, int] = {}
    covered: frozenset[str] = frozenset()
    needs: str = ""
    otherwise: str = ""
    settings: EngineSettings = EngineSettings()


class TimeRange(Value):
    """A stretch of time that a question speaks of, in its own words; either end may be open.

    Where the words name something that happened, `anchor` is the passage that says when, and `why` how it is called.
    """

    start: datetime | None
    end: datetime | None
    phrase: str
    why: str = ""
    anchor: int | None = None


def _know_nothing(_: Sequence[int]) -> Mapping[int, Any]:
    return {}


class PassageContext(Value):
    """What is known beside the texts: paths that the question is about, where each passage holds, and how many sessions
    made use of it; the latter two are asked for by row. `facts` are the triples of memories, where there are any.
    """

    paths: Sequence[str] = ()
    globs_of: Callable[[Sequence[int]], Mapping[int, Sequence[str]]] = _know_nothing
    used_of: Callable[[Sequence[int]], Mapping[int, int]] = _know_nothing
    facts: Facts | None = None
    # Whether the passages are memories: what matters to a prompt was learned for those.
    memories: bool = False


class PreparedQuestion(Value):
    """A question made ready for the lanes.

    `terms` score, candidates are looked up by `lookup_terms` of them; `left_out` says why the others are not.
    `words` are what the soft lanes compare, with the term of each and its weight; the weights sum to one.
    """

    text: str
    recipe: Recipe
    passages: int
    terms: Sequence[str] = ()
    lookup_terms: Sequence[str] = ()
    counts: Mapping[str, int] = {}
    left_out: Mapping[str, str] = {}
    words: Sequence[str] = ()
    stems: Sequence[str] = ()
    weights: Sequence[float] = ()
    near: Near
    static: Floats | None = None
    static_name: str = ""
    meaning: Floats | None = None
    meaning_name: str = ""
    names: Mapping[str, float] = {}
    name_share: float = 0.0
    ranges: Sequence[TimeRange] = ()
    now: datetime | None = None
    standing: PassageContext = PassageContext()


class LaneValues(Value):
    """What a lane says of the candidates: a value for each, in their order, and why, by place."""

    values: Sequence[float]
    why: Callable[[int], str]


class RowHit(Value):
    """A passage found, with what every lane said of it: its rank among the candidates, its value, and why.

    `answers` is false for one that is here because others are worse: nothing in it speaks of the question. `worded` is
    false for one in which no word of the question stands: meaning alone found it.
    """

    row: int
    score: float
    lanes: tuple[LaneScore, ...]
    answers: bool = True
    worded: bool = True


class Ranking(Value):
    """The answer to a question, and what became of the rest.

    `below` are candidates that others beat, with their scores; `silent` the lanes that said nothing, and why; `gate`
    how far names were followed; `coverage` how much of the question the best window holds; `weights` what each lane
    counted; `found_counts` how many candidates each finding lane brought.
    """

    hits: tuple[RowHit, ...] = ()
    recipe: str = ""
    candidates: int = 0
    below: tuple[tuple[int, float], ...] = ()
    gate: float = 0.0
    coverage: float = 0.0
    terms: tuple[str, ...] = ()
    left_out: Mapping[str, str] = {}
    names: tuple[str, ...] = ()
    ranges: tuple[TimeRange, ...] = ()
    silent: Mapping[str, str] = {}
    weights: Mapping[str, float] = {}
    found_counts: Mapping[str, int] = {}
