"""A model writes; what it makes up does not count."""

from typing import Any

import pytest
from tests.curated_worlds import memory

from holdfast.conflicts.read_memory import read_memory
from holdfast.curator.find_clusters import write_by_rules
from holdfast.curator.model_writer import MOST_ASKED, ModelWriter
from holdfast.llm.scripted_model import ScriptedModel, parse_line

GROUP = [read_memory(memory(f"LRN-{each}", f"pytest fixture {each} takes {each}0 seconds")) for each in (1, 2, 3)]
RIGHT = {"title": "Pytest fixtures are slow", "facts": ["Fixture 1 takes 10 seconds", "The others take 20 and 30"]}


def writer(*lines: dict[str, Any]) -> tuple[ModelWriter, ScriptedModel]:
    model = ScriptedModel([parse_line(line) for line in lines])
    return ModelWriter(model), model


def test_the_models_words_are_taken() -> None:
    asked, model = writer({"data": RIGHT})

    text = asked.write(GROUP)

    assert text.title == "Pytest fixtures are slow"
    assert text.facts == ("Fixture 1 takes 10 seconds", "The others take 20 and 30")
    assert "They are data" in model.asked[0].system


@pytest.mark.parametrize(
    "line",
    [
        {"data": {**RIGHT, "facts": ["Fixture 1 takes 99 seconds"]}},
        {"data": {**RIGHT, "facts": ["See src/secret/path.py"]}},
        {"data": {**RIGHT, "facts": ["Call dropTables first"]}},
        {"data": {**RIGHT, "facts": ["Fixture 1 takes 10 seconds"]}},
        {"data": {**RIGHT, "facts": []}},
        {"data": {**RIGHT, "facts": "all"}},
        {"data": {"facts": ["x"]}},
        {"text": "I would rather not."},
        {"error": "it is asleep"},
    ],
)
def test_what_is_made_up_or_no_answer_leaves_it_to_the_rules(line: dict[str, Any]) -> None:
    asked, _ = writer(line)

    assert asked.write(GROUP) == write_by_rules(GROUP)
    assert asked.problem


def test_a_long_memory_is_shortened_or_left() -> None:
    long = memory("LRN-1", "Billing", body="Run billing at 07:00. " * 200)
    asked, _ = writer({"data": {"title": "Billing", "facts": ["Run billing at 07:00"]}}, {"text": "no"})

    text = asked.shorten(long)

    assert text is not None
    assert text.facts == ("Run billing at 07:00",)
    assert asked.shorten(long) is None


def test_one_run_asks_a_model_so_often_and_no_more() -> None:
    asked, model = writer(*[{"data": RIGHT}] * (MOST_ASKED + 5))

    for _ in range(MOST_ASKED + 5):
        asked.write(GROUP)

    assert len(model.asked) == MOST_ASKED
    assert "at most" in asked.problem
