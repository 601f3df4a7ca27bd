"""Where a workspace was brought together with, as the home folder holds it."""

import os
from pathlib import Path

import pytest

from holdfast.config.team_databases import (
    UsedTeamDatabase,
    is_same_database,
    read_used_databases,
    save_used_database,
    strip_password,
    used_databases_path,
)

WORKSPACE = "6f8629f9e7849b0a"
FIRST = UsedTeamDatabase(url="postgresql://ada:old@db/holdfast", team="acme", project="shop", person="Ada")


def test_the_first_stays_first_and_another_password_is_no_other_place(tmp_path: Path) -> None:
    home = str(tmp_path)
    second = UsedTeamDatabase(url=FIRST.url, team="beta", project="shop", person="Ada")
    newer = UsedTeamDatabase(url="postgresql://ada:new@db/holdfast", team="acme", project="shop", person="Ada")

    for each in (FIRST, second, newer, second):
        save_used_database(home, WORKSPACE, each)

    assert read_used_databases(home, WORKSPACE) == [newer, second]
    assert os.stat(used_databases_path(home, WORKSPACE)).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("held", ["", "[]", "{", '{"used": 1}', '{"used": [1]}', "\0"])
def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path, held: str) -> None:
    path = Path(used_databases_path(str(tmp_path), WORKSPACE))
    path.parent.mkdir()
    path.write_text(held)
    assert read_used_databases(str(tmp_path), WORKSPACE) == []


def test_a_password_is_no_part_of_a_place() -> None:
    assert strip_password("postgresql://ada:hush@db:5432/x?sslmode=require") == (
        "postgresql://ada@db:5432/x?sslmode=require"
    )
    assert is_same_database("postgresql://ada@db/x", "postgresql://ada:hush@db/x")
    assert not is_same_database("postgresql://ada@db/x", "postgresql://bob@db/x")
