"""Somebody of the team with a SQL prompt writes what no Holdfast would: servers serve on, and hear on."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import Ran, run_in
from tests.journeys.test_team_servers import Server
from tests.waiting import wait_for

pytest.importorskip("fastapi", reason="the server is an extra")

PATIENCE = 60
ULID = "01ARZ3NDEKTSV4RRFFQ69G5FA%s"
DEEP = '{"v":1,"id":"%s","ts":"2026-11-16T05:00:00Z","kind":"event","data":{"a":' + "[" * 900 + "]" * 900 + "}}"
NEVER = "9" * 18
PATHS = (
    "../../../evil.md",
    "/etc/evil.md",
    "a/../../b.md",
    ".hidden/x.md",
    "x" * 3000 + ".md",
    "notes/\x1b[31m.md",
    "..",
    "",
)


@pytest.fixture
def url() -> Iterator[str]:
    with postgres() as found:
        with database(found):
            pass
        with psycopg.connect(found, autocommit=True) as connection:
            connection.execute("CREATE ROLE bob_db LOGIN")
        yield found


class Desk:
    """Ada's machine, with a checkout of each project."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self._named = folder, {
            "HOLDFAST_HOME": str(folder / "home"), "HOLDFAST_DATABASE_URL": url, "HOLDFAST_DATABASE_TEAM": "acme",
        }  # fmt: skip

    def __call__(self, project: str, *words: str) -> Ran:
        (self.folder / project).mkdir(parents=True, exist_ok=True)
        return run_in(self.folder / project, *words, env=self._named)

    def shares(self, project: str, text: str) -> None:
        self(project, "init", "--yes", "--client", "none")
        assert self(project, "remember", "learning", text).status == 0
        assert self(project, "sync", "database", "push").status == 0


def write_what_no_holdfast_would(url: str) -> None:
    with psycopg.connect(url.replace("postgres:@", "bob_db@"), autocommit=True) as bob:
        bob.execute("SET search_path TO holdfast")
        bob.execute("SELECT set_config('holdfast.spaces', enter('acme', 'bob')::text, false)")
        [(shop,)] = bob.execute("SELECT id FROM space WHERE name = 'shop'").fetchall()
        put = "INSERT INTO journal VALUES (%s, %s, %s, 'event', '', NULL, false, 0, %s)"
        for n, body in enumerate((DEEP, "{", '["%s"]', '{"v":"x","id":"%s"}'), 900):
            name = ULID % chr(ord("A") + n - 900)
            bob.execute(put, (shop, n, name, body.replace("%s", name)))
        for n, data in enumerate(("[", "[]", '{"place":7,"path":[]}', "[" * 100_000), 900):
            bob.execute("INSERT INTO feed VALUES (%s, %s, 'file_changed', %s)", (shop, n, data))
        kept = "INSERT INTO file VALUES (%s, %s, %s, %s, %s, '{}', 1, %s)"
        for at, path in enumerate(PATHS):
            bob.execute(kept, (shop, "memory", path, b"\xff\xfe\x00", "not a sum", "x\n" * at))
        bob.execute(kept, (shop, "elsewhere", "x.md", b"", "", ""))
        bob.execute("INSERT INTO record VALUES (%s, 'run', 'run-x/run.json', '', %s)", (shop, "[" * 100_000))
        bob.execute("INSERT INTO record VALUES (%s, 'cost', 'x', 'never', %s)", (shop, '{"usd": NaN}'))
        for space in (shop, *range(1, 9)):
            bob.execute("SELECT pg_notify('holdfast', %s)", (f"{space}:{NEVER}",))
        bob.execute("SELECT pg_notify('holdfast', %s)", (f"{shop}:{'9' * 5000}",))
        with pytest.raises(psycopg.errors.CheckViolation):
            bob.execute("INSERT INTO space (team, kind, name) SELECT id, 'project', E'x\\ny' FROM team")


def until_told(server: Server, place: str, goal: str, words: str) -> None:
    wait_for(lambda: words in server.ask("POST", f"{place}/pack", {"goal": goal})["prompt"], repr(words), pause=0.2)


def test_what_somebody_wrote_at_a_prompt_stops_no_server(tmp_path: Path, url: str) -> None:
    ada = Desk(tmp_path / "ada", url)
    ada.shares("shop", "Tests need a database")
    ada.shares("mail", "The provider limits requests")
    assert ada("shop", "team", "database", "person", "add", "bob", "--login", "bob_db").status == 0

    with Server(tmp_path / "server", url).running() as server:
        rows = {row["name"]: row["id"] for row in server.ask("GET", "/api/workspaces")}
        shop, mail = (f"/api/workspace/{rows[name]}" for name in ("shop", "mail"))
        until_told(server, shop, "what do tests need", "Tests need a database")

        write_what_no_holdfast_would(url)

        until_told(server, shop, "what do tests need", "Tests need a database")
        until_told(server, mail, "what does the provider limit", "The provider limits requests")
        assert {row["name"] for row in server.ask("GET", "/api/workspaces")} == {"shop", "mail"}
        server.ask("GET", "/api/health")
        ada.shares("shop", "Tests need a clock that stands still")
        ada.shares("mail", "The provider wants a name in every request")
        until_told(server, shop, "what do tests need", "a clock that stands still")
        until_told(server, mail, "what does the provider want", "a name in every request")
        for part in ("memory", "health", "runs", "sessions", "graph", "stats", "cost", "activity", "ratings", "sync"):
            server.ask("GET", f"{shop}/{part}")
        server.ask("GET", "/api/health")
    assert not list(tmp_path.rglob("evil.md"))
    for words in (("sync", "database"), ("team", "database", "search", "tests"), ("doctor", "--verify"), ("list",)):
        assert ada("shop", *words).status == 0, words
