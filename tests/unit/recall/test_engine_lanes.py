from datetime import UTC, datetime

import pytest
from tests.unit.recall.engine_values import Table as Words
from tests.unit.recall.engine_values import embedded, held, shelf, titled, turn

from holdfast.core.embedder import Embedder, StaticEmbedder
from holdfast.core.shelf import Shelf
from holdfast.core.value import replace
from holdfast.recall.engine.engine_values import LaneValues
from holdfast.recall.engine.find_passages import judge_candidates
from holdfast.recall.engine.recipes import DEFAULT, MEANING, WORDS

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def seen(
    lane: str, question: str, there: Shelf, static: StaticEmbedder | None = None, encoder: Embedder | None = None
) -> dict[int, float] | None:
    """What one lane says of each passage, in the order they were put."""
    found = _seen(lane, question, there, static, encoder)
    return found and found[0]


def why(lane: str, question: str, there: Shelf, row: int, static: StaticEmbedder | None = None) -> str:
    found = _seen(lane, question, there, static, None)
    assert found is not None
    return found[1].why(sorted(found[0]).index(row))


def _seen(
    lane: str, question: str, there: Shelf, static: StaticEmbedder | None, encoder: Embedder | None
) -> tuple[dict[int, float], LaneValues] | None:
    base = MEANING if encoder else DEFAULT if static else WORDS
    recipe = replace(base, plain={lane: 1.0}, settings=replace(base.settings, seeds=1))
    judged = judge_candidates(question, there, static, encoder, recipe, now=NOW)
    found = judged.seen.get(lane)
    return (
        None if found is None else ({row - 1: each for row, each in zip(judged.rows, found.values, strict=True)}, found)
    )


def test_words_prefers_the_rarer_term() -> None:
    values = seen("words", "redis pool", shelf("redis", "pool", "pool and tea"))

    assert values is not None
    assert values[0] == 1.0
    assert values[1] > values[2] > 0


def test_around_sees_what_neighbours_hold() -> None:
    there = shelf("redis", "yes", "tea", "milk", group="s1")

    values = seen("around", "redis", there)

    assert values is not None
    # A window reaches two back: the passage after next still sees the word, the third does not.
    assert values[2] > 0
    assert 3 not in values or values[3] == 0


def test_what_an_agent_said_lends_nothing() -> None:
    there = held(turn("redis", group="s1", said_by="agent"), turn("yes", group="s1", said_by="user"))

    values = seen("around", "redis", there)

    assert values == {0: 1.0, 1: 0.0}


def test_group_is_the_same_for_all_that_belong_together() -> None:
    there = held(turn("redis", group="s1"), turn("pool", group="s1"), turn("redis", group="s2"))

    values = seen("group", "redis pool", there)

    assert values is not None
    assert values[0] == values[1] == 1.0
    assert values[2] < 1.0


def test_a_group_of_an_agents_words_alone_is_seen() -> None:
    assert seen("group", "redis", shelf("redis", said_by="agent")) == {0: 1.0}


def test_soft_without_vectors_takes_the_same_stem() -> None:
    values = seen("soft", "pooling connections", shelf("the pool", "a connection pool", "connect the dots"))

    assert values is not None
    assert values[1] == 1.0
    assert 0 < values[0] < 1


def test_soft_with_vectors_takes_words_that_come_near() -> None:
    table = Words("cat kitten", "car")

    values = seen("soft", "kitten car", embedded(table, "cat", "car", "cat car"), table)

    assert values is not None
    assert values[2] == pytest.approx(1.0)
    assert values[0] > 0
    assert why("soft", "kitten car", embedded(table, "cat", "car", "cat car"), 0, table) == "kitten"


def test_soft_around_takes_the_best_of_the_window() -> None:
    there = shelf("redis", "pool", group="s1")

    values = seen("soft_around", "redis pool", there)

    assert values is not None
    # A window reaches one ahead, too.
    assert values == {0: 1.0, 1: 1.0}


def test_static_is_nothing_for_the_average_and_one_for_the_nearest() -> None:
    table = Words("cat kitten", "car", "tea", "milk")
    there = embedded(table, "cat", "car", "tea", "milk")

    values = seen("static", "kitten", there, table)

    assert values is not None
    assert values[0] == pytest.approx(1.0)
    assert values[1] == values[2] == values[3] == 0.0
    assert why("static", "kitten", there, 0, table) == "cosine 1.00"


def test_static_around_takes_the_direction_of_the_window() -> None:
    table = Words("cat kitten", "car", "tea", "milk")
    there = embedded(table, "cat", "tea", "milk", "car", "car", group="s1")

    values = seen("static_around", "kitten", there, table)

    assert values is not None
    assert values[0] > values[2] > values[4]


def test_static_group_is_the_best_of_the_group() -> None:
    table = Words("cat kitten", "car", "tea", "milk")
    there = held(turn("cat", group="s1"), turn("car", group="s1"), turn("tea"), turn("milk"), table=table)

    values = seen("static_group", "kitten", there, table)

    assert values is not None
    assert values[1] == pytest.approx(1.0)
    assert values[2] == 0.0


def test_meaning_asks_the_encoder_and_its_own_vectors() -> None:
    static, encoder = Words("tea"), Words("cat kitten", "car", "milk")
    encoder.name = "encoder"
    there = titled(("Cat", "cat"), ("Car", "car"), ("", "milk"), encoder=encoder)

    assert (seen("meaning", "kitten", there, static, encoder) or {})[0] == pytest.approx(1.0)
    assert seen("static", "kitten", there, static, encoder) is None
    by_title = seen("meaning_titled", "milk", there, static, encoder)
    assert by_title is not None
    assert by_title[2] == 0.0


def test_said_by_takes_whom_the_question_names() -> None:
    there = held(turn("tea", said_by="ann"), turn("tea", said_by="bob"))

    assert seen("said_by", "did Ann drink tea?", there) == {0: 1.0, 1: 0.0}
    assert seen("said_by", "who drank tea?", there) is None


def test_i_am_the_user_and_you_are_the_agent() -> None:
    there = held(turn("tea", said_by="user"), turn("tea", said_by="agent"))

    assert seen("said_by", "did I drink tea?", there) == {0: 1.0, 1: 0.0}
    assert seen("said_by", "did you drink tea?", there) == {0: 0.0, 1: 1.0}


def test_asks_and_length_are_as_the_shelf_has_them() -> None:
    there = shelf("Is there tea? I would like a cup of it.", " ".join(["tea", *["milk"] * 199]))

    assert seen("asks", "tea", there) == {0: 0.5, 1: 0.0}
    assert seen("length", "tea", there) == {0: 0.5, 1: 1.0}
    assert why("length", "tea", there, 0) == "10 words"


def test_time_prefers_what_the_question_speaks_of() -> None:
    there = held(turn("tea", ts="2026-11-05T10:00:00Z"), turn("tea", ts="2026-11-14"), turn("tea"))

    assert seen("time", "tea last week", there) == {0: 1.0, 1: 0.0, 2: 0.0}
    assert seen("time", "tea", there) is None
    assert why("time", "tea last week", there, 0) == "2026-11-05 is 'last week'"


def test_recency_halves_in_a_month() -> None:
    there = held(turn("tea", ts="2026-11-15T12:00:00Z"), turn("tea", ts="2026-10-16T12:00:00Z"), turn("tea"))

    assert seen("recency", "tea", there) == {0: 1.0, 1: 0.5, 2: 0.0}


def named_shelf() -> tuple[Shelf, Words]:
    """A bridge: the question names Ada; Ada's passage names Bern; only Bern's passage holds the answer."""
    said = ["Ada lives in Bern", "Bern has a bear park", "Rome has a forum", "Oslo has a harbour", "Ada drinks tea"]
    table = Words("ada", "bern", "bear", "rome", "oslo", "tea")
    return titled(*zip(["Ada", "Bern", "Rome", "Oslo", "Tea"], said, strict=True), table=table), table


def test_graph_walks_over_shared_names() -> None:
    there, table = named_shelf()

    values = seen("graph", "where does Ada live?", there, table)

    assert values is not None
    assert values[1] > max(values[2], values[3])
    assert "bern" in why("graph", "where does Ada live?", there, 1, table)


def test_pair_covers_the_question_with_a_linked_passage() -> None:
    there, table = named_shelf()

    values = seen("pair", "does Ada live near a bear park?", there, table)

    assert values is not None
    # The seed is Bern's passage, which holds most of the words; Ada's covers the rest and shares a name with it.
    assert values[0] == 1.0
    assert values[2] == 0.0


def test_a_question_without_names_follows_none() -> None:
    there, table = named_shelf()

    judged = judge_candidates("who drinks something?", there, table, None, DEFAULT)

    assert judged.gate == 0.0
    assert judged.silent["graph"] == "no names in the question"


def test_a_word_that_is_mostly_written_small_is_no_name() -> None:
    said = ["May we go", "we may go", "you may go", "they may", "it may", "may be"]
    table = Words("may", "go")
    there = embedded(table, *said, names={1: ["may"], 6: ["may"]})

    judged = judge_candidates("when may we go?", there, table, None, DEFAULT)

    assert judged.asking.names == {}
