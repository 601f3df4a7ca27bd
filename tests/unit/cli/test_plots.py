"""Numbers as a picture, in the characters that the terminal has."""

import pytest

from holdfast.cli.plots import Plots


@pytest.mark.parametrize(
    ("encoding", "ascii_only"), [("utf-8", False), ("ascii", True), ("latin-1", True), ("no", True)]
)
def test_what_is_drawn_can_be_printed(encoding: str, ascii_only: bool) -> None:
    plots = Plots(encoding)

    drawn = plots.spark([0, 1, None, 5, 10], high=10) + plots.bar(3, 10)

    assert drawn.isascii() is ascii_only


def test_a_spark_has_one_character_a_value_and_rises_with_it() -> None:
    plots = Plots("utf-8")

    assert plots.spark([1, None, 8], high=8)[1] == " "
    assert len(plots.spark(range(20))) == 20
    assert list(plots.spark([1, 4, 8])) == sorted(plots.spark([1, 4, 8]))
    assert plots.spark([]) == ""
    assert len(set(plots.spark([0, 0, 0]))) == 1


def test_a_bar_is_as_full_as_its_value() -> None:
    plots = Plots("ascii")

    assert [plots.bar(value, 10, 4).count("#") for value in (0, 5, 10, 99)] == [0, 2, 4, 4]
    assert plots.bar(1, 0, 4) == "...."
