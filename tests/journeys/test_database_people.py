"""The keeper of a team's database says who is in it, whose a login is, and who sees a project."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import Ran, run_in


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres() as found:
        with database(found):
            pass
        with psycopg.connect(found, autocommit=True) as connection:
            for login in ("ada_db", "bob_db"):
                connection.execute(f"CREATE ROLE {login} LOGIN".encode())
        yield found


class Desk:
    """A person's machine."""

    def __init__(self, folder: Path, name: str, url: str) -> None:
        self.folder, self.home, self._url = folder / name / "shop", folder / name / "home", url
        self.folder.mkdir(parents=True)
        self("init", "--yes", "--client", "none")

    def __call__(self, *words: str, **env: str) -> Ran:
        named = {"HOLDFAST_HOME": str(self.home), "HOLDFAST_DATABASE_URL": self._url, "HOLDFAST_DATABASE_TEAM": "acme"}
        return run_in(self.folder, *words, env={**named, **env})


def as_login(url: str, login: str) -> str:
    return url.replace("postgres:@", f"{login}@")


def test_people_have_logins_of_their_own_and_closed_projects_are_their_members(tmp_path: Path, url: str) -> None:
    keeper = Desk(tmp_path, "keeper", url)
    ada, bob = Desk(tmp_path, "ada", as_login(url, "ada_db")), Desk(tmp_path, "bob", as_login(url, "bob_db"))
    assert ada("team", "database", "status").status == 2
    for name in ("ada", "bob"):
        assert keeper("team", "database", "person", "add", name, "--login", f"{name}_db").status == 0
    people = {each["name"]: each["logins"] for each in keeper("team", "database", "person", "--json").json["people"]}
    assert (people["ada"], people["bob"]) == (["ada_db"], ["bob_db"])

    ada("remember", "decision", "Use Textual for the screens")
    assert ada("sync", "database", "push").status == 0
    assert bob("sync", "database", "pull", "--json").json["pulled"]
    assert bob("team", "database", "status", "--json").json["person"] == "bob"

    closed = keeper("team", "database", "project", "close", "shop", "ada")
    assert closed.status == 0
    assert "does not see it any more" in closed.err
    refused = bob("sync", "database", "pull")
    assert refused.status == 3
    assert bob("team", "database", "project", "open", "shop").status == 2
    assert [each["name"] for each in bob("team", "database", "project", "--json").json["projects"]] == []
    [project] = ada("team", "database", "project", "--json").json["projects"]
    assert project["closed"]

    stolen = bob("team", "join", "database", "--as", "ada")
    assert stolen.status == 2
    assert "leave out --as" in stolen.err
    assert bob("team", "join", "database", "--json").json["team"]["person"] == "bob"

    assert keeper("team", "database", "project", "open", "shop").status == 0
    assert bob("sync", "database", "pull").status == 0
    assert keeper("team", "database", "person", "remove", "bob").status == 0
    assert bob("sync", "database", "pull").status == 2
    assert bob("team", "sync").status == 2
    assert bob("team", "database", "status").status == 2


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("person", "add"), 2, "takes other words"),
        (("person", "add", "x" * 300), 2, "cannot be a name"),
        (("person", "add", "cyd", "--login", "no_such_role"), 3, "no login"),
        (("person", "remove", "nobody"), 3, "no 'nobody'"),
        (("project", "close", "nothing", "ada"), 3, "no project"),
        (("project", "close", "nothing"), 2, "Nobody would see"),
        (("project", "shut", "shop"), 2, "takes other words"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, url: str, words: tuple[str, ...], status: int, said: str) -> None:
    keeper = Desk(tmp_path, "keeper", url)

    done = keeper("team", "database", *words)

    assert done.status == status
    assert said in done.err


def test_an_agent_says_nothing_of_it(tmp_path: Path, url: str) -> None:
    keeper = Desk(tmp_path, "keeper", url)

    done = keeper("team", "database", "person", "add", "mallory", CLAUDECODE="1")

    assert done.status == 2
    assert "mallory" not in keeper("team", "database", "person").out
