"""Regular expressions of people's memory: no pattern can keep a check from ending."""

import sys
import time

import pytest
from tests.waiting import SOON

from holdfast.system import bounded_regex

RUNAWAY = r"^(a+)+$"
LINE = "a" * 60 + "b"


@pytest.fixture(params=["as installed", "without RE2"])
def _engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded_regex._compile_linear.cache_clear()
    if request.param == "without RE2":
        monkeypatch.setitem(sys.modules, "re2", None)


@pytest.mark.usefixtures("_engine")
@pytest.mark.parametrize(
    ("pattern", "places"),
    [(r"\bprint\(", [0]), (r"(?i)TODO", [1]), (r"^x", []), (r"(?<!# )todo", [1]), (r"^\w+$", [1]), ("", [0, 1, 2])],
)
def test_lines_that_match(pattern: str, places: list[int]) -> None:
    assert bounded_regex.match_lines(pattern, ["print(1)", "todo", "résumé"]) == places


@pytest.mark.usefixtures("_engine")
def test_a_runaway_pattern_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = time.monotonic()

    found = bounded_regex.match_lines(RUNAWAY, [LINE], 0.5)

    # RE2 says that it does not match; Python's own is ended before it can tell.
    assert found in (None, [])
    assert time.monotonic() - begun < SOON


def test_without_re2_a_runaway_pattern_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded_regex._compile_linear.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)

    assert bounded_regex.match_lines(RUNAWAY, [LINE], 0.3) is None


@pytest.mark.parametrize("pattern", ["[", "(?P<x", "a{5,2}", "(" * 2000, "*"])
def test_what_is_no_pattern_says_why(pattern: str) -> None:
    assert "is no regular expression" in bounded_regex.find_pattern_error(pattern)


def test_so_many_matches_are_enough() -> None:
    assert len(bounded_regex.match_lines("x", ["x"] * 1000) or ()) == bounded_regex.MOST_MATCHES
