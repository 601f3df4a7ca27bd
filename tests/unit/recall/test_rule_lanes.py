"""Who gives a task finds the rules for it, the later one on a subject first; who asks a question finds what answers."""

import pytest
from bench.recall.data import Passage
from bench.recall.encoders import static
from bench.recall.systems import Finder

from holdfast.recall.engine.fuse import rank_candidates
from holdfast.recall.engine.recipes import DEFAULT
from holdfast.recall.engine.rule_lanes import is_task

SAID = (
    "Always start the names of functions with 'm_', this is our convention.",
    "The new function that sorts names was merged, and it works very well.",
    "From now on always start the names of functions with 'z_' instead of 'm_'.",
    "Lunch is at twelve on Fridays.",
)


def _order(question: str) -> list[int]:
    passages = [Passage(text=text, group=group, said_by="mentor") for group, text in enumerate(SAID)]
    judged = Finder(passages, static(), None, DEFAULT).judge(question)
    return [hit.row for hit in rank_candidates(judged, DEFAULT, len(SAID)).hits]


def test_a_task_finds_the_latest_rule_first() -> None:
    rules = [row for row in _order("Write a function that returns the names of a list.") if row in {0, 2}]

    assert rules == [2, 0]
    assert _order("Write a function that returns the names of a list.")[0] == 2


def test_a_question_is_answered_by_what_speaks_of_it() -> None:
    assert _order("Which function that sorts was merged?")[0] == 1


@pytest.mark.parametrize("text", ["Write a parser", "please add retries", "Can you refactor the client?", "ok, fix it"])
def test_tasks_are_told_by_how_they_begin(text: str) -> None:
    assert is_task(text)


@pytest.mark.parametrize(
    "text", ["Why do we write tests?", "The build is red", "makes sense", "make sure it works", ""]
)
def test_other_prompts_are_none(text: str) -> None:
    assert not is_task(text)
