"""Triples in a question: which of their ends it names, and how names hang together by them. Rules, no model.

HippoRAG 2 has a model recognise the facts that a question is about; here the stems of its words do.
"""

from collections.abc import Mapping, Sequence

from holdfast.core.shelf import Shelf, Totals
from holdfast.core.triple import Fact
from holdfast.core.triple_store import Facts
from holdfast.core.value import replace
from holdfast.index.extract_names import stem_name
from holdfast.index.terms import query_terms
from holdfast.recall.engine import name_weight
from holdfast.recall.engine.engine_values import PreparedQuestion

# How far a name that only triples know turns a question into one of names.
HEARD = 0.5

Joined = Sequence[tuple[str, str, float]]


def add_facts(asked: PreparedQuestion, shelf: Shelf, totals: Totals) -> PreparedQuestion:
    """The question, with the ends of triples that it speaks of among its names."""
    facts = asked.standing.facts
    ends = _ends(asked, facts) if facts is not None and asked.recipe.named else []
    if facts is None or not ends:
        return asked
    counts = shelf.name_counts([*asked.names, *ends])
    few = name_weight.rare_names({end: counts[end] for end in ends if end in counts}, totals.groups)
    told = name_weight.distinctive_rows(few, shelf, asked.recipe.settings.rows_of_name_most)
    if not told:
        return asked
    borne = _fact_support(facts.about(told), asked)
    weights = {name: counts.get(name, 1) ** -0.5 * (1 + borne.get(name, 0.0)) for name in (*asked.names, *told)}
    total = sum(weights.values())
    known, new = _stems(asked.names), _stems(told)
    share = sum(
        weight * (1 if stem in known else HEARD)
        for stem, weight in zip(map(stem_name, asked.words), asked.weights, strict=True)
        if stem in known | new
    )
    return replace(
        asked,
        names={name: weight / total for name, weight in weights.items()},
        name_share=max(asked.name_share, share),
    )


def join_names(among: Sequence[str], facts: Facts | None) -> Joined:
    """Which of these names triples join, and how often."""
    found = facts.joined(among) if facts is not None and among else {}
    return [(one, other, float(times)) for (one, other), times in sorted(found.items())]


def _ends(asked: PreparedQuestion, facts: Facts) -> list[str]:
    """Ends whose words stand in the question one after the other; of those that overlap, the longest."""
    spoken = [[stem_name(run) for run in size] for size in name_weight.name_runs(asked.text)]
    known = facts.spoken(run for size in spoken for run in size)
    free = [True] * name_weight.WORDS_MOST
    found: dict[str, None] = {}
    for size, each in zip(range(len(spoken), 0, -1), spoken, strict=True):
        for start, run in enumerate(each):
            if run in known and all(free[start : start + size]):
                free[start : start + size] = [False] * size
                found |= dict.fromkeys(known[run])
    return [end for end in found if end not in asked.names]


def _fact_support(facts: Sequence[Fact], asked: PreparedQuestion) -> Mapping[str, float]:
    """By end, how much of the rest of its best fact the question speaks of too."""
    spoken = {*asked.terms, *asked.stems}
    best: dict[str, float] = {}
    for fact in facts:
        relation = query_terms(fact.triple.relation)
        for end, other in ((0, 1), (1, 0)):
            rest = {*relation, *fact.stems[other].split()}
            share = len(rest & spoken) / len(rest) if rest else 0.0
            best[fact.ends[end]] = max(best.get(fact.ends[end], 0.0), share)
    return best


def _stems(some: Mapping[str, object]) -> set[str]:
    return {stem for name in some for stem in stem_name(name).split()}
