"""Which team of a database is meant: the one of the first push, never one that nobody began."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import Ran, run_in


@pytest.fixture
def url() -> Iterator[str]:
    with postgres() as found:
        with database(found):
            pass
        yield found


class Laptop:
    """A person's machine: a home and a checkout of its own."""

    def __init__(self, folder: Path, name: str, url: str) -> None:
        self.folder, self.home, self._url = folder / name / "shop", folder / name / "home", url
        self.folder.mkdir(parents=True)
        self.home.mkdir()
        subprocess.run(["git", "init", "--quiet", str(self.folder)], check=True)
        subprocess.run(["git", "-C", str(self.folder), "config", "user.name", name], check=True)
        self("init", "--yes", "--client", "none")
        self("remember", "decision", f"Use Textual for the screens of {name}")

    def __call__(self, *words: str, **env: str) -> Ran:
        named = {"HOLDFAST_HOME": str(self.home), "HOLDFAST_DATABASE_URL": self._url}
        return run_in(self.folder, *words, env={**named, **env})


def rows(url: str, table: str) -> list[str]:
    with psycopg.connect(url) as connection:
        found = connection.execute(f"SELECT name FROM holdfast.{table} ORDER BY name".encode()).fetchall()
        return [str(name) for (name,) in found]


def test_the_team_of_the_first_push_is_meant_from_then_on(tmp_path: Path, url: str) -> None:
    ada, bob = Laptop(tmp_path, "ada", url), Laptop(tmp_path, "bob", url)
    assert ada("sync", "database", "push", "--team", "acme").status == 0
    assert ada("team", "init", "beta", "database").status == 0
    assert ada("team", "leave").status == 0

    assert ada("sync", "database").status == 0
    assert ada("team", "database", "status", "--json").json["projects"] == ["shop"]

    assert rows(url, "team") == ["acme", "beta"]
    unsure = bob("sync", "database", "push")
    assert unsure.status == 2
    assert "acme, beta" in unsure.err
    assert bob("sync", "database", "pull", "--team", "acme", "--json").json["pulled"]
    assert bob("sync", "database").status == 0
    assert ada("sync", "database", "pull", "--json").json["pulled"]
    assert rows(url, "team") == ["acme", "beta"]


def test_the_only_team_is_meant_where_none_is_named(tmp_path: Path, url: str) -> None:
    ada, bob = Laptop(tmp_path, "ada", url), Laptop(tmp_path, "bob", url)
    assert ada("sync", "database", "push", "--team", "acme").status == 0
    assert bob("sync", "database", "pull", "--json").json["pulled"]
    assert rows(url, "team") == ["acme"]


def test_a_name_with_a_slip_begins_no_team(tmp_path: Path, url: str) -> None:
    ada = Laptop(tmp_path, "ada", url)
    assert ada("sync", "database", "pull", "--dry-run", "--team", "nosuch").status == 3
    planned = ada("sync", "database", "push", "--dry-run", "--team", "acme", "--json")
    assert [step["does"] for step in planned.json["planned"]] == ["push"]
    assert (rows(url, "team"), rows(url, "space")) == ([], [])

    assert ada("sync", "database", "push", "--team", "acme").status == 0
    for words in (
        ("sync", "database", "push", "--team", "acmee"), ("sync", "database", "pull", "--team", "acmee"),
        ("sync", "database", "--team", "acmee"), ("team", "database", "status", "--team", "acmee"),
        ("team", "database", "search", "screens", "--team", "acmee"),
        ("team", "database", "person", "add", "eve", "--team", "acmee"),
        ("serve", "--port", "0", "--team", "acmee"),
    ):  # fmt: skip
        refused = ada(*words)
        assert refused.status == 3, words
        assert "it has: acme" in refused.err
    assert rows(url, "team") == ["acme"]

    assert ada("sync", "database", "push", "--team", "other", "--new-team").status == 0
    assert rows(url, "team") == ["acme", "other"]


def test_a_question_makes_no_person(tmp_path: Path, url: str) -> None:
    ada, bob = Laptop(tmp_path, "ada", url), Laptop(tmp_path, "bob", url)
    assert ada("sync", "database", "push", "--team", "acme").status == 0
    before = [rows(url, table) for table in ("team", "person", "space")]

    planned = bob("sync", "database", "--dry-run", "--as", "bob", "--json")
    state = bob("team", "database", "status", "--as", "bob", "--json")

    assert "pull" in {step["does"] for step in planned.json["planned"]}
    assert state.json["projects"] == ["shop"]
    assert [rows(url, table) for table in ("team", "person", "space")] == before


def test_who_has_no_name_is_told(tmp_path: Path, url: str) -> None:
    ada = Laptop(tmp_path, "ada", url)
    subprocess.run(["git", "-C", str(ada.folder), "config", "--unset", "user.name"], check=True)
    nobody = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "USER": ""}

    pushed = ada("sync", "database", "push", "--team", "acme", **nobody)

    assert pushed.status == 0
    assert "git config user.name" in pushed.err
    assert "git config user.name" in ada("team", "join", "database", **nobody).err
    subprocess.run(["git", "-C", str(ada.folder), "config", "user.name", "Ada"], check=True)
    assert ada("team", "sync", **nobody).status == 0
    assert ada("sync", "database", **nobody).err == ""
    assert rows(url, "person") == ["Ada", "somebody"]


def test_two_who_are_called_after_one_login_are_told_once(tmp_path: Path, url: str) -> None:
    laptops = [Laptop(tmp_path, name, url) for name in ("ada", "bob")]
    nobody = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "USER": "root"}
    for laptop in laptops:
        subprocess.run(["git", "-C", str(laptop.folder), "config", "--unset", "user.name"], check=True)

        first = laptop("sync", "database", "push", "--team", "acme", **nobody)
        again = laptop("sync", "database", "push", "--team", "acme", **nobody)

        assert "another of that name would be the same person" in first.err
        assert "same person" not in again.err
    assert "same person" not in laptops[0]("sync", "database", "push", "--team", "acme", "--as", "root", **nobody).err
    assert rows(url, "person") == ["root"]
