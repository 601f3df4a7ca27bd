"""Words and their events → what became of them."""

import pytest
from tests.index_values import entry

from holdfast.core.memory import Evidence, Status
from holdfast.trust.standing import (
    Standing,
    StatementRow,
    Statements,
    digest_words,
    list_statements,
    normalise_words,
)  # fmt: skip

SAID = "We use ruff, not black, for formatting."


def _statements(status: Status, *, holds: bool = True, updated: str = "2026-02-01") -> Statements:
    memory = entry(
        "DEC-1", title="Use ruff, not black", status=status, updated=updated,
        evidence=(Evidence(event="e7", quote=SAID),),
    )  # fmt: skip
    return Statements(list_statements([memory], lambda _: holds))


@pytest.mark.parametrize(
    ("status", "standing"),
    [
        (Status.ACCEPTED, Standing.HOLDS), (Status.CANDIDATE, Standing.WAITS), (Status.REJECTED, Standing.SETTLED),
        (Status.SUPERSEDED, Standing.SETTLED), (Status.DEPRECATED, Standing.SETTLED),
    ],
)  # fmt: skip
def test_words_of_an_event_stand_as_what_was_made_of_them(status: Status, standing: Standing) -> None:
    found = _statements(status)

    assert found.standing("we use Ruff not black", ["e7"]) is standing
    assert found.standing(SAID) is standing


def test_an_accepted_one_that_no_longer_holds_is_settled() -> None:
    assert _statements(Status.ACCEPTED, holds=False).standing(SAID, ["e7"]) is Standing.SETTLED


def test_other_words_of_the_same_event_are_free() -> None:
    assert _statements(Status.REJECTED).standing("The deploy runs on Fridays", ["e7"]) is None
    assert _statements(Status.REJECTED).standing("", []) is None


def test_what_is_said_again_later_is_a_new_statement() -> None:
    settled = _statements(Status.REJECTED)

    assert settled.standing(SAID, ["e9"], at="2026-01-31") is Standing.SETTLED
    assert settled.standing(SAID, ["e9"], at="2026-03-01") is None


def test_words_that_are_gone_are_known_by_their_mark() -> None:
    rows = [StatementRow(standing=Standing.SETTLED, digest=digest_words("The key lives in the blue safe"))]
    found = Statements(rows)

    assert found.standing("Remember: the key lives in the blue safe, please") is Standing.SETTLED
    assert found.standing("The key lives in the red safe") is None


@pytest.mark.parametrize("digest", ["", "0.", "x.y", "-1.ab", "99999.ab"])
def test_a_broken_mark_matches_nothing(digest: str) -> None:
    assert Statements([StatementRow(standing=Standing.SETTLED, digest=digest)]).standing("some words said here") is None


def test_few_words_must_be_the_same() -> None:
    found = Statements([StatementRow(standing=Standing.SETTLED, words="use tabs")])

    assert found.standing("Use tabs!") is Standing.SETTLED
    assert found.standing("use tabs in the browser tests") is None


def test_marks_and_case_do_not_count() -> None:
    assert normalise_words("  We USE `ruff`—not black! ") == "we use ruff not black"
