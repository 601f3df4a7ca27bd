from collections.abc import Sequence

import numpy as np
import pytest
from bench.recall.data import Asked, Passage, Task
from bench.recall.encoders import Kept
from bench.recall.metrics import auroc, threshold
from bench.recall.report import Answers, report

from holdfast.core.embedder import Floats
from holdfast.core.value import replace

STORE = [Passage(text=str(number), group=number) for number in range(4)]


class Counting:
    """An embedder that says how often it was asked."""

    name, dims = "counting@1", 2

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        self.asked += len(texts)
        return np.array([[len(text), float(query)] for text in texts], np.float32)


def asked(kind: str, gold: tuple[int, ...]) -> Asked:
    return Asked(text=kind, store=0, passages=gold, groups=gold, category=kind)


def test_what_filters_hide_takes_no_place() -> None:
    task = Task(name="T", stores=[STORE], asked=[replace(asked("a", (1,)), wrong=(0,), hidden=frozenset({0}))])

    plain, filtered, order = report(task, {"one": Answers(rankings=[[0, 1, 2]])})

    assert "| one    | 0.000 |" in plain
    assert "| one    | 1.000 |" in filtered
    assert "| one    | 0.000              | 0.000         | 1.000     |" in order


def test_questions_without_an_answer_are_told_apart() -> None:
    task = Task(name="T", stores=[STORE], asked=[asked("a", (1,)), asked("none", ())])

    whole, abstention = report(task, {"one": Answers(rankings=[[1], [2]], sure=[0.9, 0.2])})

    assert "(1 questions)" in whole
    assert "| one    | 1.000 | 1.000             | 0.90 |" in abstention


def test_auroc_counts_ties_half() -> None:
    assert auroc([1.0, 0.5], [0.5, 0.0]) == pytest.approx(3.5 / 4)


def test_the_threshold_lies_where_both_are_told_apart_best() -> None:
    at, right = threshold([3.0, 2.0, 0.5], [1.0, 0.0])

    assert at == 2.0
    assert right == pytest.approx(5 / 6)


def test_vectors_are_made_once_for_each_text(tmp_path: object) -> None:
    first = Counting()
    Kept(first, str(tmp_path)).embed(["a", "bb", "a"])
    again = Counting()

    found = Kept(again, str(tmp_path)).embed(["bb", "ccc"])

    assert (first.asked, again.asked) == (2, 1)
    assert found.tolist() == [[2.0, 0.0], [3.0, 0.0]]


def test_a_question_is_not_taken_for_a_passage(tmp_path: object) -> None:
    kept = Kept(Counting(), str(tmp_path))

    assert kept.embed(["a"]).tolist() != kept.embed(["a"], query=True).tolist()


def test_what_a_broken_run_left_is_cut_off(tmp_path: object) -> None:
    kept = Kept(Counting(), str(tmp_path))
    kept.embed(["a"])
    with open(kept.path, "ab") as file:
        file.write(b"torn")

    again = Counting()
    Kept(again, str(tmp_path)).embed(["bb"])
    last = Counting()
    Kept(last, str(tmp_path)).embed(["a", "bb"])

    assert last.asked == 0
