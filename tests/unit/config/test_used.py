"""Where a workspace was brought together with, as the home folder holds it."""

import os
from pathlib import Path

import pytest

from holdfast.config.team_databases import Used, keep_used, same_database, used_by, used_path, without_password

WORKSPACE = "6f8629f9e7849b0a"
FIRST = Used(url="postgresql://ada:old@db/holdfast", team="acme", project="shop", person="Ada")


def test_the_first_stays_first_and_another_password_is_no_other_place(tmp_path: Path) -> None:
    home = str(tmp_path)
    second = Used(url=FIRST.url, team="beta", project="shop", person="Ada")
    newer = Used(url="postgresql://ada:new@db/holdfast", team="acme", project="shop", person="Ada")

    for each in (FIRST, second, newer, second):
        keep_used(home, WORKSPACE, each)

    assert used_by(home, WORKSPACE) == [newer, second]
    assert os.stat(used_path(home, WORKSPACE)).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("held", ["", "[]", "{", '{"used": 1}', '{"used": [1]}', "\0"])
def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path, held: str) -> None:
    path = Path(used_path(str(tmp_path), WORKSPACE))
    path.parent.mkdir()
    path.write_text(held)
    assert used_by(str(tmp_path), WORKSPACE) == []


def test_a_password_is_no_part_of_a_place() -> None:
    assert without_password("postgresql://ada:hush@db:5432/x?sslmode=require") == (
        "postgresql://ada@db:5432/x?sslmode=require"
    )
    assert same_database("postgresql://ada@db/x", "postgresql://ada:hush@db/x")
    assert not same_database("postgresql://ada@db/x", "postgresql://bob@db/x")
