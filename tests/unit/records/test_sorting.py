"""Learnings, sorted: tools and set-up, or how the task was done."""

import pytest

from holdfast.records.learning_topic import ALGORITHM, SYSTEM, category_of


@pytest.mark.parametrize(
    "text",
    [
        "the hook crashed on every prompt",
        "config error: the settings file was not read",
        "deploy failed because the token expired",
        "pip could not reach the network behind the proxy",
        "permission denied when writing the cache",
        "docker was not running so the tests could not start the container",
        "ModuleNotFoundError: the venv lacked the package",
        "node version mismatch in CI pipeline",
        "connection refused: the server was down",
    ],
)
def test_tooling_and_set_up_are_system(text: str) -> None:
    assert category_of(text) == SYSTEM


@pytest.mark.parametrize(
    "text",
    [
        "wrong approach: it rewrote the parser instead of fixing the regex",
        "over-engineered, I asked for one function",
        "you missed the point",
        "it ignored the timeout that I asked for",
        "you didn't read the tests before you changed the code",
        "the edge cases were forgotten",
        "too complicated, a simpler design would do",
        "edited the wrong file",
        "",
        "that was bad",
    ],
)
def test_how_the_task_was_done_is_algorithm(text: str) -> None:
    assert category_of(text) == ALGORITHM


def test_the_approach_wins_a_tie_and_a_huge_text_is_bounded() -> None:
    assert category_of("docker design") == ALGORITHM
    assert category_of("x " * 500_000) == ALGORITHM
