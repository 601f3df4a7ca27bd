"""What a user wishes in several sessions is one candidate, with all its evidence."""

import pytest
from tests.unit.distil.talk import distil, user

from holdfast.core.distilled import Known
from holdfast.core.memory import Memory, Status
from holdfast.core.value import replace
from holdfast.distil.habits import count_sessions, read_wish

WISH = "always run the linter before you hand in a change"


def say(text: str, event: str, known: tuple[Memory, ...]) -> tuple[Memory, ...]:
    return distil(replace(user(text), id=event), known=Known(memories=known)).candidates


def test_a_wish_of_three_sessions_is_one_surer_candidate_with_all_its_evidence() -> None:
    [first] = say(WISH, "e1", ())
    [second] = say("Please always run the linter before you hand in a change.", "e2", (first,))
    [third] = say("I said: always run the linter before you hand in a change!", "e3", (second,))

    assert first.id == second.id == third.id
    assert [each.event for each in third.evidence] == ["e1", "e2", "e3"]
    assert count_sessions(third) == 3
    assert (third.confidence or 0) > (second.confidence or 0) >= (first.confidence or 0)


def test_a_session_distilled_again_adds_nothing() -> None:
    [first] = say(WISH, "e1", ())
    [second] = say(WISH, "e2", (first,))

    assert say(WISH, "e2", (second,)) == ()


def test_what_a_person_accepted_is_not_asked_again() -> None:
    [first] = say(WISH, "e1", ())

    assert say(WISH, "e2", (replace(first, id="PAT-123456", status=Status.ACCEPTED),)) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("always use tabs in makefiles", "never use tabs in makefiles"),
        ("use pnpm for the site instead of npm", "use npm for the site instead of pnpm"),
    ],
)
def test_the_opposite_is_no_repetition(one: str, other: str) -> None:
    [first], [second] = say(one, "e1", ()), say(other, "e2", ())

    assert read_wish(first) != read_wish(second)
