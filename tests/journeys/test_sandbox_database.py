"""A conductor's memory, and backups, in a PostgreSQL: the same commands, a real server, two machines."""

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import Ran, run_in

KEY = {"HOLDFAST_SHARE_KEY": "env:CONDUCTOR_KEY", "CONDUCTOR_KEY": "ab" * 32}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a store in a database."""
    with postgres() as found, database(found):
        parts = urlsplit(found)
        yield urlunsplit(parts._replace(path=f"{parts.path}/conductors"))


class Machine:
    """A home and a folder of its own."""

    def __init__(self, place: Path) -> None:
        self.folder, self.env = place / "project", {**KEY, "HOLDFAST_HOME": str(place / "home")}
        self.folder.mkdir(parents=True)
        assert self.run("init", "--yes", "--client", "none").status == 0

    def run(self, *words: str) -> Ran:
        return run_in(self.folder, *words, env=self.env)

    def titles(self) -> list[str]:
        return sorted(memory["title"] for memory in self.run("list", "--json").json["memories"])


def test_a_conductors_memory_outlives_its_sandbox_in_a_database(tmp_path: Path, url: str) -> None:
    one, other = Machine(tmp_path / "one"), Machine(tmp_path / "other")
    wrap = ("sandbox", "wrap", "--store", url, "--name", "planner", "--", sys.executable, "-c", "pass")
    one.run("remember", "decision", "Use Textual")
    other.run("remember", "decision", "Use Postgres")

    done = [each.run(*wrap) for each in (one, other, one)]

    assert [each.status for each in done] == [0, 0, 0], done
    assert "Wrote the memory" in done[0].err
    assert "Brought in the memory" in done[1].err
    assert one.titles() == other.titles() == ["Use Postgres", "Use Textual"]


def test_backups_lie_in_a_database(tmp_path: Path, url: str) -> None:
    one, other = Machine(tmp_path / "one"), Machine(tmp_path / "other")
    for each in (one, other):
        each.env["HOLDFAST_BACKUP_STORE"] = url
    one.run("remember", "decision", "Use Textual")

    made = [one.run("backup", "now", "--json") for _ in range(2)]
    [folder] = one.run("backup", "list", "--all", "--json").json["folders"]
    gone = one.run("backup", "prune", "--json", "--set", "backup.keep=1")
    restored = other.run("backup", "restore", f"{folder['name']}/latest", "--yes")

    assert [each.status for each in made] == [0, 0], made[0].err
    assert folder["backups"] == 2
    assert len(gone.json["names"]) == 1
    assert restored.status == 0, restored.err
    assert other.titles() == ["Use Textual"]
    assert one.run("backup", "status").status == 0


def test_the_address_that_is_told_is_one_that_can_be_read(tmp_path: Path, url: str) -> None:
    one, other = Machine(tmp_path / "one"), Machine(tmp_path / "other")
    one.run("remember", "decision", "Use Textual")
    parts = urlsplit(url)
    name = urlunsplit(parts._replace(path=f"{parts.path}/named.tar.zst"))

    written = one.run("export", url, "--json")
    named, again = (one.run("export", name, "--json") for _ in range(2))
    pushed = one.run("sandbox", "push", "--store", url, "--name", "asked", "--json")
    pulled = other.run("sandbox", "pull", "--store", url, "--name", "asked")
    other.run("undo")
    brought = [other.run("import", made.json["place"], "--yes") for made in (written, named)]

    assert "/" in parts.query
    assert written.json["place"].endswith(f".tar.zst?{parts.query}"), written.err
    assert named.json["place"].endswith(f"/conductors/named.tar.zst?{parts.query}"), named.err
    assert again.status == 4
    assert pushed.json["head"].endswith(f"/asked/head.json?{parts.query}")
    assert pulled.status == 0, pulled.err
    assert [each.status for each in brought] == [0, 0], brought
    assert other.titles() == ["Use Textual"]


def test_a_database_that_is_away_does_not_keep_the_command_from_running(tmp_path: Path) -> None:
    one = Machine(tmp_path / "one")
    away = "postgresql://somebody:secret@127.0.0.1:1/holdfast"

    done = one.run("sandbox", "pull", "--store", away, "--name", "planner")
    pushed = one.run("sandbox", "push", "--store", away, "--name", "planner")
    late = one.run("backup", "status", "--json")

    assert (done.status, pushed.status) == (6, 6)
    assert "does not answer" in done.err
    assert len(late.json["waiting"]) == 1
    assert "secret" not in done.err + pushed.err + late.out
