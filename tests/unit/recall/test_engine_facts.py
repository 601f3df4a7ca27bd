"""Triples in the graph lane: what a question recognises, and where the walk goes by them."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pytest
from tests.unit.recall.engine_values import Table, embedded

from holdfast.core.shelf import Shelf, Totals
from holdfast.core.triple import Fact, Triple
from holdfast.core.value import replace
from holdfast.index.extract_names import normalize_name, stem_name
from holdfast.recall.engine.engine_values import EngineSettings, PassageContext, PreparedQuestion
from holdfast.recall.engine.find_passages import find
from holdfast.recall.engine.graph_lanes import build_seed_graph, run_walk
from holdfast.recall.engine.prepare_question import prepare_question
from holdfast.recall.engine.recipes import DEFAULT
from holdfast.recall.engine.triple_lanes import add_facts, join_names

NOISE = tuple(f"release {number} ended up in the place of the widget {number * 7}" for number in range(160))
# Equal scores are ordered by row: what is looked for stands last.
EXPORT, BUCKET = len(NOISE) + 1, len(NOISE) + 2
SAID = (*NOISE, "the nightly export writes to the cold bucket", "the cold bucket belongs to the storage guild")
TABLE = Table("nightly export", "release widget repairs", "guild storage")


class SomeFacts:
    """Facts by row, as they are written down."""

    def __init__(self, *stated: tuple[int, str, str, str]) -> None:
        self._facts = [(row, _fact(subject, relation, other)) for row, subject, relation, other in stated]

    def ends(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        return {row: [end for at, fact in self._facts if at == row for end in fact.ends] for row in rows}

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        stating = {name: [row for row, fact in self._facts if name in fact.ends][:limit] for name in names}
        return {name: rows for name, rows in stating.items() if rows}

    def tallies(self, names: Iterable[str]) -> Mapping[str, int]:
        return {name: len(rows) for name, rows in self.named(names, 1000).items()}

    def about(self, names: Iterable[str]) -> Sequence[Fact]:
        wanted = {*names}
        return [fact for _, fact in self._facts if wanted & {*fact.ends}]

    def joined(self, names: Iterable[str]) -> Mapping[tuple[str, str], int]:
        there = {*names}
        ends = [tuple(sorted(fact.ends)) for _, fact in self._facts if there.issuperset(fact.ends)]
        return {(one, other): ends.count((one, other)) for one, other in ends}

    def spoken(self, stems: Iterable[str]) -> Mapping[str, Sequence[str]]:
        ends = {stem: end for _, fact in self._facts for stem, end in zip(fact.stems, fact.ends, strict=True)}
        return {stem: [ends[stem]] for stem in stems if stem in ends}


def _fact(subject: str, relation: str, other: str) -> Fact:
    ends = normalize_name(subject), normalize_name(other)
    triple = Triple(subject=subject, relation=relation, object=other)
    return Fact(triple=triple, ends=ends, stems=(stem_name(ends[0]), stem_name(ends[1])))


WRITES = (EXPORT, "nightly export", "writes to", "cold bucket")
BELONGS = (BUCKET, "cold bucket", "belongs to", "storage guild")
FACTS = SomeFacts(WRITES, BELONGS)
NAMES = {EXPORT: ["nightly export", "cold bucket"], BUCKET: ["cold bucket", "storage guild"]}
QUESTION = "who is behind the place that our nightly exports end up in"


def shelf(names: Mapping[int, Sequence[str]]) -> Shelf:
    return embedded(TABLE, *SAID, names=names)


def found(text: str, facts: SomeFacts | None) -> list[int]:
    with_names = shelf(NAMES if facts else {})
    ranking = find(text, with_names, TABLE, None, DEFAULT, 10, standing=PassageContext(facts=facts))
    return [hit.row for hit in ranking.hits]


def test_a_question_two_hops_away_is_answered_only_with_triples() -> None:
    without, with_triples = found(QUESTION, None), found(QUESTION, FACTS)

    assert without[0] == EXPORT
    assert BUCKET not in without
    assert with_triples[:2] == [EXPORT, BUCKET]


def asked(text: str, facts: SomeFacts | None = FACTS, names: Mapping[int, Sequence[str]] = NAMES) -> PreparedQuestion:
    there = shelf(names)
    made = prepare_question(text, there, there.totals(), DEFAULT)
    return add_facts(replace(made, standing=PassageContext(facts=facts)), there, there.totals())


@pytest.mark.parametrize("words", ["nightly exports", "Nightly-Export", "the nightly export's"])
def test_an_end_is_recognised_in_other_forms_of_its_words(words: str) -> None:
    assert "nightly export" in asked(f"where do {words} go").names


@pytest.mark.parametrize("words", ["export the nightly build", "nightly", "", "no such thing"])
def test_words_apart_are_no_end(words: str) -> None:
    assert "nightly export" not in asked(words).names


def test_the_longest_of_ends_that_overlap_counts() -> None:
    facts = SomeFacts(WRITES, BELONGS, (3, "bucket", "is a", "release"))

    assert list(asked("what about the cold bucket", facts, {**NAMES, 3: ["bucket"]}).names) == ["cold bucket"]


def test_without_facts_a_question_stays_what_it_was() -> None:
    there = shelf({})
    made = prepare_question(QUESTION, there, there.totals(), DEFAULT)

    assert add_facts(made, there, there.totals()) is made
    assert add_facts(made, there, Totals(passages=0, terms=0, groups=0)) is made


def test_an_end_whose_fact_the_question_speaks_of_weighs_more() -> None:
    plain_one = asked("nightly export and storage guild").names
    borne = asked("nightly export writes to what, and storage guild").names

    assert borne["nightly export"] / borne["storage guild"] > plain_one["nightly export"] / plain_one["storage guild"]


def test_names_that_a_triple_joins_are_joined_once_per_pair() -> None:
    facts = SomeFacts(WRITES, BELONGS, (2, "cold bucket", "is filled by", "nightly export"))

    assert join_names(["cold bucket", "nightly export"], facts) == [("cold bucket", "nightly export", 2.0)]
    assert join_names(["cold bucket"], facts) == []
    assert join_names([], facts) == []
    assert join_names(["cold bucket"], None) == []


def test_the_walk_goes_along_a_triple_and_loses_nothing() -> None:
    # No passage mentions both names: nothing but the triple leads from one to the other.
    there = shelf({EXPORT: ["nightly export"], BUCKET: ["storage guild"]})
    near = build_seed_graph([EXPORT], ["storage guild"], there, len(SAID), EngineSettings())

    alone = run_walk(near, {EXPORT: 1.0}, {}, len(SAID), EngineSettings())
    both = replace(near, joined=(("nightly export", "storage guild", 1.0),))
    along = run_walk(both, {EXPORT: 1.0}, {}, len(SAID), EngineSettings())

    assert alone[near.rows.index(BUCKET)] == 0
    assert along[near.rows.index(BUCKET)] > 0.01
    assert float(np.sum(along)) <= 1


def test_a_walk_without_triples_is_the_walk_it_was() -> None:
    there = shelf(NAMES)
    near = build_seed_graph([EXPORT], ["cold bucket"], there, len(SAID), EngineSettings())
    asked_for = {"cold bucket": 0.5}
    spent = run_walk(near, {EXPORT: 1.0}, asked_for, len(SAID), EngineSettings())
    none_there = run_walk(
        replace(near, joined=join_names(near.names, None)), {EXPORT: 1.0}, asked_for, len(SAID), EngineSettings()
    )

    assert spent[near.rows.index(BUCKET)] > 0
    assert spent.tolist() == none_there.tolist()
