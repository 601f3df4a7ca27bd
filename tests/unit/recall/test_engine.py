import gc
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.unit.recall.engine_values import Broken, Table, embedded, shelf, text, turn

from holdfast.core.passage_store import SAID
from holdfast.core.search import Change
from holdfast.core.shelf import Text, Totals, pack_numbers
from holdfast.core.value import replace
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.sqlite.sqlite_shelf import SqliteShelf
from holdfast.recall.engine.engine_values import EngineSettings, Ranking
from holdfast.recall.engine.find_passages import find, judge_candidates
from holdfast.recall.engine.fuse import sum_scores
from holdfast.recall.engine.lane_registry import load_lane
from holdfast.recall.engine.prepare_question import LONGEST, choose_lookups
from holdfast.recall.engine.recipes import DEFAULT, MEANING, RECIPES, WORDS
from holdfast.recall.engine.vector_lanes import KnownWords

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
WORDY = st.lists(
    st.sampled_from(["pool", "redis", "sqlite", "the", "Ann", "last week", "né", "数据库", "?"]), max_size=8
)


def rows(ranking: Ranking) -> list[int]:
    return [hit.row for hit in ranking.hits]


def test_the_passage_that_holds_the_words_is_first() -> None:
    found = find("redis pool", shelf("we like tea", "the redis pool is full", "a pool of water"), recipe=WORDS)

    assert rows(found)[0] == 2
    assert {score.lane for score in found.hits[0].lanes} >= {"words", "around", "group"}


def test_a_hit_says_of_every_lane_its_rank_and_why() -> None:
    found = find("redis pool", shelf("we like tea", "the redis pool is full", "a pool of water"), recipe=WORDS)

    words = next(score for score in found.hits[0].lanes if score.lane == "words")
    assert (words.rank, words.score, words.why) == (1, 1.0, "redi, pool")


def test_what_was_left_out_is_told() -> None:
    found = find("the redis pool", shelf("redis pool", "pool", "pool of tea"), recipe=WORDS, limit=1)

    assert found.left_out["the"] == "tells nothing"
    assert sorted(row for row, _ in found.below) == [2, 3]
    assert find("mongo", shelf("redis"), recipe=WORDS).left_out == {"mongo": "stands nowhere"}


def test_a_neighbour_of_what_matches_is_a_candidate() -> None:
    found = find("redis pool", shelf("redis pool", "so we did that", "unrelated words", group="s1"), recipe=WORDS)

    assert set(rows(found)) == {1, 2, 3}


@pytest.mark.parametrize("question", ["", "   ", "the of and", "???", "x" * 1_000_000, "pool " * 300_000])
def test_hostile_questions_are_answered(question: str) -> None:
    found = find(question, shelf("redis pool", "pool"), recipe=WORDS)

    assert len(found.hits) <= 2


def test_an_empty_shelf_finds_nothing() -> None:
    assert find("redis", shelf(), recipe=WORDS).hits == ()
    assert find("redis", shelf(), Table("redis"), recipe=DEFAULT, now=NOW).hits == ()


def test_one_passage_is_found() -> None:
    table = Table("redis cache")

    assert rows(find("redis", embedded(table, "redis"), table)) == [1]


def test_a_very_long_question_is_asked_by_its_beginning() -> None:
    found = judge_candidates("redis " + "x " * LONGEST, shelf("redis"), None, None, WORDS)

    assert len(found.asking.text) == LONGEST


def test_without_an_embedder_the_words_recipe_serves() -> None:
    found = find("redis", shelf("redis"), recipe=MEANING)

    assert found.recipe == "words"


def test_a_model_that_does_not_answer_is_told_and_done_without() -> None:
    table = Table("redis cache")

    found = find("redis", embedded(table, "redis", "cache"), table, Broken(), MEANING)

    assert (found.recipe, found.silent["meaning"]) == ("default", "The embedder did not answer.")


def test_a_shelf_without_vectors_is_searched_by_words() -> None:
    found = find("redis", shelf("redis", "tea"), Table("redis cache"), recipe=DEFAULT)

    assert rows(found)[0] == 1
    assert found.silent["static"] == "nothing to say"


class Watched(SqliteShelf):
    """A shelf that notes whether Python may look for cycles while it is asked."""

    collecting: bool | None = None

    def totals(self) -> Totals:
        self.collecting = gc.isenabled()
        return super().totals()


def test_nothing_looks_for_cycles_during_a_question_and_all_is_as_before() -> None:
    store = SqliteIndex.open(":memory:")
    store.apply(Change(spoken=(turn("redis"),)))
    watched = Watched(store.connection, SAID)

    assert rows(find("redis", watched, recipe=WORDS)) == [1]
    assert watched.collecting is False
    assert gc.isenabled()

    gc.disable()
    try:
        find("redis", watched, recipe=WORDS)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_known_words_begin_anew_when_there_are_too_many() -> None:
    static = Table("cat kitten", "car", "tea")
    known = KnownWords(static, most=4)
    asked = [text(0, "cat car"), text(1, ""), text(2, "tea cat kitten"), text(3, "milk the")]

    for some in (asked[:2], asked[:3], asked[2:], asked, asked[::-1]):
        vectors, places, starts = known.of(some)
        found = np.split(vectors[places], starts[1:])
        for each, held in zip(some, found, strict=True):
            expected = static.words(each.words) if each.words else np.zeros((1, static.dims))
            expected[[word == "the" for word in each.words] or [True]] = 0
            assert held.tolist() == expected.tolist()


class Changed(Text):
    """A passage that was written anew after its words were counted."""

    @property
    def spelled(self) -> bytes:
        return pack_numbers(["cat", "car"])


def test_a_word_that_is_no_longer_there_is_near_nothing_and_is_learnt_when_it_comes_back() -> None:
    static = Table("cat", "car")
    known = KnownWords(static)
    changed = Changed(row=0, group=0, at=0, said_by="", title="", terms=("cat",), words=("cat",))

    vectors, places, _ = known.of([changed])
    assert vectors[places].sum(1).tolist() == [1.0, 0.0]

    vectors, places, _ = known.of([changed, text(1, "car")])
    assert vectors[places].sum(1).tolist() == [1.0, 1.0, 1.0]


def test_equal_passages_come_in_the_order_of_their_rows() -> None:
    found = find("redis", shelf("redis", "redis", "redis"), recipe=WORDS)

    assert rows(found) == [1, 2, 3]


@settings(max_examples=examples(60), deadline=None)
@given(said=st.lists(WORDY, max_size=6), question=WORDY)
def test_the_same_question_has_the_same_answer(said: Sequence[Sequence[str]], question: Sequence[str]) -> None:
    table = Table("pool redis", "sqlite")
    on_shelf = embedded(table, *(" ".join(each) for each in said)) if said else shelf()

    first, second = (find(" ".join(question), on_shelf, table, now=NOW) for _ in range(2))

    assert rows(first) == rows(second)
    assert [hit.score for hit in first.hits] == sorted((hit.score for hit in first.hits), reverse=True)
    assert len(set(rows(first))) == len(rows(first))


@settings(max_examples=examples(60), deadline=None)
@given(said=st.lists(WORDY, min_size=1, max_size=6), question=WORDY)
def test_every_value_of_every_lane_lies_between_0_and_1(said: list[list[str]], question: list[str]) -> None:
    table = Table("pool redis", "sqlite")

    judged = judge_candidates(" ".join(question), embedded(table, *map(" ".join, said)), table, None, DEFAULT, now=NOW)

    assert all(0 <= value <= 1 + 1e-6 for seen in judged.seen.values() for value in seen.values)


def test_a_score_is_the_weighed_sum_of_the_lanes() -> None:
    recipe = replace(WORDS, plain={"words": 2.0, "asks": -1.0}, covered=frozenset())

    judged = judge_candidates("redis pool", shelf("Which redis pool? This.", "redis"), None, None, recipe)

    assert sum_scores(judged, recipe)[0] == pytest.approx(2.0 * 1.0 - 0.5)


def test_where_nothing_covers_the_question_words_count_less() -> None:
    recipe = replace(WORDS, plain={"words": 1.0})

    whole = find("redis pool", shelf("redis pool", "tea"), recipe=recipe).hits[0]
    half = find("redis pool", shelf("redis", "pool"), recipe=recipe).hits[0]

    assert whole.score == pytest.approx(1.0)
    assert half.score == pytest.approx(0.5)


def test_common_terms_bring_no_candidates_once_there_are_too_many() -> None:
    left = choose_lookups({"rare": 5, "often": 90, "always": 100}, EngineSettings(postings_most=100))

    assert left == {"always": "common: in 100 passages"}


def test_the_only_term_is_looked_up_however_common() -> None:
    assert choose_lookups({"always": 10**9}, EngineSettings()) == {}


def test_every_lane_of_every_recipe_is_there() -> None:
    for recipe in RECIPES.values():
        for name in {*recipe.plain, *recipe.named, *recipe.look, *recipe.find, *recipe.expand}:
            assert load_lane(name).name == name
        assert all(hasattr(load_lane(name), "rows") for name in {*recipe.find, *recipe.expand})


class Odd(SqliteShelf):
    """A shelf that tells of its first passage what no shelf should."""

    def texts(self, rows: Iterable[int]) -> Mapping[int, Text]:
        found = super().texts(rows)
        return {row: text(row, "redis", asks=float("nan")) if row == 1 else each for row, each in found.items()}


def test_a_value_that_is_no_number_counts_nothing() -> None:
    store = SqliteIndex.open(":memory:")
    store.apply(Change(spoken=(turn("redis"), turn("redis"))))

    found = find("redis", Odd(store.connection, SAID), recipe=replace(WORDS, plain={"words": 1.0, "asks": -2.0}))

    assert [hit.score for hit in found.hits] == [1.0, 1.0]
