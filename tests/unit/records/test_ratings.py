"""Ratings given and implied, and numbers that are none."""

from pathlib import Path

import pytest

from holdfast.records.answer_ratings import AnswerRating, find_rating

DATA = Path(__file__).parents[2] / "data/ratings.tsv"
NUMBERED = "I see two ways:\n\n1. Rewrite the parser.\n2. Patch it.\n\nTell me which."


def labelled() -> list[tuple[str, str]]:
    lines = [line for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(label, text) for label, _, text in (line.partition("\t") for line in lines)]


@pytest.mark.parametrize(("label", "text"), labelled(), ids=[text for _, text in labelled()])
def test_a_message_is_a_rating_or_not(label: str, text: str) -> None:
    found = find_rating(text, "Done: the parser reads the new header.")

    assert (f"{found.rating} {found.source}" if found else "-") == label


def test_the_remark_is_kept() -> None:
    assert find_rating("7 - nice") == AnswerRating(
        rating=7, source="explicit", comment="nice", confidence=0.85, analysis="a number and a remark"
    )


@pytest.mark.parametrize(
    "previous",
    [
        NUMBERED,
        "How many workers do you want?",
        "Option A: rewrite.\nOption B: patch.",
        "Which line is it?",
        "1) yes\n2) no",
        "Either (1) patch it or (2) rewrite it.",
    ],
)
def test_a_bare_number_after_a_choice_is_an_answer(previous: str) -> None:
    assert find_rating("2", previous) is None
    assert find_rating("2 - the patch", previous) is None


def test_a_full_rating_after_a_choice_is_still_one() -> None:
    found = find_rating("8/10", NUMBERED)

    assert found is not None
    assert found.rating == 8


def test_an_implied_rating_is_less_sure_than_a_given_one() -> None:
    implied, given = find_rating("Perfect!"), find_rating("9/10")

    assert implied is not None
    assert given is not None
    assert implied.confidence < given.confidence
    assert implied.analysis == "says 'perfect'"


def test_praise_and_blame_together_say_nothing() -> None:
    assert find_rating("The layout is perfect but the build is still broken.") is None


def test_praise_deep_in_a_long_task_says_nothing() -> None:
    assert (
        find_rating(
            "Now add a settings page with three tabs, one of which lists the plugins, which is the perfect place"
        )
        is None
    )


@pytest.mark.parametrize("text", ["", " ", "\n", "٣", "²", "8" * 5000, "⭐" * 50, "-8", "8e3", "½"])
def test_odd_text_is_no_rating(text: str) -> None:
    assert find_rating(text) is None
