import pytest

from holdfast.core.times import canonical_time, parse_moment


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-15", "2026-11-15T00:00:00.000Z"),
        ("2026-11-15T09:22:14Z", "2026-11-15T09:22:14.000Z"),
        ("2026-11-15T09:22:14.123Z", "2026-11-15T09:22:14.123Z"),
        ("2026-11-15T09:22:14+02:00", "2026-11-15T07:22:14.000Z"),
        ("2026-11-15 09:22", "2026-11-15T09:22:00.000Z"),
        ("9999", "9999"),
        ("", ""),
        ("soon", "soon"),
    ],
)
def test_times_are_told_in_one_form_that_sorts(text: str, expected: str) -> None:
    assert canonical_time(text) == expected


def test_a_time_beyond_the_calendar_is_no_moment() -> None:
    assert parse_moment("0001-01-01T00:00:00+14:00") is None
    assert parse_moment("2026-13-01") is None
