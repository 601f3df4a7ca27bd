"""The names a text mentions, by rules."""

import pytest

from holdfast.index.extract_names import MOST, normalize_name, spell_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Caroline went to New York.", ("caroline", "new york")),
        ("The Bank of England said so. We agreed.", ("bank of england",)),
        ("We use `getUserById` in src/users/repo.py", ("getuserbyid", "src users repo py", "repo py")),
        ("Postgres's pool of PgBouncer", ("postgres", "pgbouncer")),
        ("see DEC-7K2MQ4 and user_repo", ("dec 7k2mq4", "user repo")),
        ("it happened on 3 May 2026", ("3 may 2026",)),
        ("nothing of the kind", ()),
        ("", ()),
    ],
)
def test_what_is_a_name(text: str, names: tuple[str, ...]) -> None:
    assert tuple(spell_names(text)) == names


def test_there_are_never_too_many() -> None:
    assert len(spell_names(", ".join(f"Name{number}x" for number in range(500)))) == MOST


def test_a_name_is_compared_without_case_and_marks() -> None:
    assert normalize_name("O'Brien's  Repo.py") == normalize_name("o brien repo py")
