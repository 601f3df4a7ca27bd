"""The language of rules: what it says, and that it can do nothing else."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.review.auto_rule import read_rule
from holdfast.review.expression import BadRule, CandidateRule, Plain

FACTS: dict[str, Plain] = {
    "said_by": "user", "confidence": 0.95, "conflicts": 0.0, "type": "decision", "tags": ("api", "db"),
    "title": "Use uv",
}  # fmt: skip


def _holds(text: str) -> bool:
    return CandidateRule(text, tuple(FACTS)).holds(FACTS)


@pytest.mark.parametrize(
    "text",
    [
        "said_by == 'user' and confidence > 0.9 and not conflicts",
        'type in ["decision", "learning"]',
        "'db' in tags",
        "'uv' in title",
        "not (type == 'failure') and (confidence >= 1 or confidence < 1)",
        "said_by != 'tool'",
        "true",
        "confidence<=0.95",
        "not not true",
        "conflicts == 0 or false",
    ],
)
def test_what_holds(text: str) -> None:
    assert _holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "said_by == 'agent'",
        "conflicts",
        "confidence > 0.95",
        "'web' in tags",
        "type in []",
        "true and false",
        "not true or false",
    ],
)
def test_what_does_not(text: str) -> None:
    assert not _holds(text)


def test_and_binds_closer_than_or() -> None:
    assert _holds("true or false and false")
    assert not _holds("(true or false) and false")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "its end"),
        ("confidence >", "its end"),
        ("confidence > 'high'", "numbers"),
        ("said_by == 1", "two kinds"),
        ("__import__('os')", "no '__import__'"),
        ("said_by.upper()", "means nothing"),
        ("confidence + 1", "means nothing"),
        ("1 < confidence < 2", "chained"),
        ("said_by = 'user'", "means nothing"),
        ("(true", "is missing"),
        ("true true", "should end"),
        ("'open", "means nothing"),
        ("confidense > 1", "there are"),
        ("'a' in 3", "needs a list"),
        ("and", "where a value"),
        ("(" * 100 + "true" + ")" * 100, "too deep"),
        ("not " * 100 + "true", "too deep"),
        ("true " * 1000, "longer"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, why: str) -> None:
    with pytest.raises(BadRule, match=why):
        _holds(text)


def test_a_rule_that_could_never_be_asked_is_refused_at_once() -> None:
    for text in ("confidence > 'a'", "tags == 'ci'", "false and confidence > 'a'", "true or title > 1"):
        with pytest.raises(BadRule):
            read_rule(text)


@given(st.text(alphabet="abtrue'() []<>=!,0.9 and or not in said_by conflicts", max_size=60))
def test_whatever_is_written_it_holds_or_not_or_is_refused(text: str) -> None:
    with suppress(BadRule):
        assert _holds(text) in {True, False}
