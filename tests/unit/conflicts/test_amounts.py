"""Numbers, units and versions."""

import pytest

from holdfast.conflicts.amounts import find_amounts, same_amount, without_amounts


@pytest.mark.parametrize(
    ("text", "of", "value"),
    [
        ("timeout 30 s", "time", (30.0,)),
        ("after 5 seconds", "time", (5.0,)),
        ("within 200ms", "time", (0.2,)),
        ("for two hours", "time", (7200.0,)),
        ("2 GB of memory", "size", (2147483648.0,)),
        ("at least 90%", "share", (90.0,)),
        ("Python 3.12", "version python", (3.0, 12.0)),
        ("Python >= 3.9", "version python", (3.0, 9.0)),
        ("Node 22", "version node", (22.0,)),
        ("1,000 requests", "number request", (1000.0,)),
        ("set the pool to 50", "number", (50.0,)),
    ],
)
def test_an_amount_is_read(text: str, of: str, value: tuple[float, ...]) -> None:
    found = find_amounts(text)

    assert [(each.of, each.value) for each in found] == [(of, value)]


@pytest.mark.parametrize("text", ["no numbers here", "one of them", "v1 of the API", "the a1b2 build"])
def test_what_is_no_amount_is_none(text: str) -> None:
    assert find_amounts(text) == ()


def test_a_version_is_the_same_as_its_beginning() -> None:
    major, minor, other = find_amounts("Python 3")[0], find_amounts("Python 3.12")[0], find_amounts("Python 3.9")[0]

    assert same_amount(major, minor)
    assert not same_amount(minor, other)


def test_amounts_leave_the_words() -> None:
    assert without_amounts("stop after 30 s on Python 3.12").split() == ["stop", "after", "on", "Python", "3.12"]
