"""Search in a team's database itself: over projects, without a checkout, by what each person may see."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.databases import postgres
from tests.journeys.conftest import run_in


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres() as found:
        yield found


class Laptop:
    """A person with projects."""

    def __init__(self, root: Path, url: str, person: str) -> None:
        self._root = root / person
        self._root.mkdir()
        self.env = {"HOLDFAST_HOME": str(self._root / "home"), "HOLDFAST_DATABASE_URL": url}
        self._person = person

    def project(self, name: str, *memories: str) -> "Laptop":
        folder = self._root / name
        folder.mkdir(exist_ok=True)
        self("init", "--yes", "--client", "none", at=folder)
        for text in memories:
            self("remember", "decision", text, "--title", text[:40], at=folder)
        self("sync", "database", "push", "--team", "acme", "--as", self._person, at=folder)
        return self

    def __call__(self, *words: str, at: Path | None = None, code: int = 0) -> Any:
        done = run_in(at or self._root, *words, "--json", env=self.env)
        assert done.status == code, done.err
        return json.loads(done.out) if done.out else done.err

    def search(self, *words: str, code: int = 0) -> Any:
        return self("team", "database", "search", *words, "--team", "acme", "--as", self._person, code=code)


def test_every_project_that_a_person_sees_is_searched_and_follows_what_changes(url: str, tmp_path: Path) -> None:
    ada, bob = Laptop(tmp_path, url, "ada"), Laptop(tmp_path, url, "bob")
    ada("team", "database", "migrate")
    ada.project("shop", "Limit requests to 100 a minute", "Orders are paged by cursor")
    bob.project("mail", "Retry mails when the provider limits requests")

    found = ada.search("limit", "requests")
    assert {(hit["project"], hit["title"]) for hit in found["hits"]} == {
        ("shop", "Limit requests to 100 a minute"),
        ("mail", "Retry mails when the provider limits req"),
    }
    assert set(found["searched"]) == {"shop", "mail", ""}

    bob.project("mail", "Bounced mails limit the sender's requests")
    assert len(ada.search("limit requests", "--project", "mail")["hits"]) == 2
    assert ada.search("kangaroo", code=1)["hits"] == []

    with psycopg.connect(url, options="-c search_path=holdfast") as made:
        made.execute("UPDATE space SET closed = true WHERE name = 'mail'")
        made.execute(
            "INSERT INTO member SELECT space.id, person.id FROM space, person "
            "WHERE space.name = 'mail' AND person.name = 'bob'"
        )
    assert {hit["project"] for hit in ada.search("limit requests")["hits"]} == {"shop"}
    assert "no project 'mail'" in str(ada.search("limit", "--project", "mail", code=3))
    assert len(bob.search("limit requests", "--project", "mail")["hits"]) == 2


def test_what_cannot_be_asked_is_refused(url: str, tmp_path: Path) -> None:
    ada = Laptop(tmp_path, url, "ada")
    ada("team", "database", "migrate")

    assert "nothing to search for" in str(ada.search(code=2))
    bare = {"HOLDFAST_HOME": str(tmp_path / "home"), "HOLDFAST_DATABASE_URL": ""}
    done = run_in(tmp_path, "team", "database", "search", "x", env=bare)
    assert done.status == 2
    assert "No database is named" in done.err


def test_what_shares_no_word_with_the_question_is_found_by_its_meaning_under_a_login_of_ones_own(
    url: str, tmp_path: Path
) -> None:
    keeper = Laptop(tmp_path, url, "keeper")
    keeper("team", "database", "migrate")
    with psycopg.connect(url, autocommit=True) as made:
        made.execute("CREATE ROLE cyd_db LOGIN")
    keeper("team", "database", "person", "add", "cyd", "--login", "cyd_db", "--team", "acme")
    cyd = Laptop(tmp_path, url.replace("postgres:@", "cyd_db@"), "cyd")
    cyd.project(
        "garage",
        "Automobiles are refuelled at night",
        "Passwords are hashed with argon2",
        "Invoices are sent by post",
        "The kitchen closes at nine",
    )
    asked = ("petrol", "car", "--project", "garage")

    assert cyd.search(*asked, "--recipe", "words", code=1)["hits"] == []
    first = cyd.search(*asked)["hits"][0]
    assert (first["project"], first["title"]) == ("garage", "Automobiles are refuelled at night")
    assert first["weak"]
    assert first["lanes"].keys() - {"words"}
    with psycopg.connect(url, options="-c search_path=holdfast") as held:
        [(count,)] = held.execute("SELECT sum(count) FROM meaning WHERE place = 'memory'").fetchall()
    assert count >= 4

    told = run_in(tmp_path, "team", "database", "search", *asked, "--team", "acme", env=cyd.env)
    assert told.out.splitlines()[1].startswith("~ ")
    missing = "embedder=fastembed:no/such-model"
    bare = run_in(tmp_path, "team", "database", "search", *asked, "--team", "acme", "--set", missing, env=cyd.env)
    assert bare.status == 1
    assert "Search goes by words alone" in bare.err


def test_a_replica_answers_with_the_vectors_that_there_are(url: str, tmp_path: Path) -> None:
    ada = Laptop(tmp_path, url, "ada")
    ada("team", "database", "migrate")
    ada.project("lake", "Automobiles are refuelled at night", "Passwords are hashed with argon2")
    ada.search("automobiles", "refuelled", "--project", "lake")
    reading = {**ada.env, "HOLDFAST_DATABASE_URL": f"{url}&options=-c%20default_transaction_read_only%3Don"}

    told = run_in(tmp_path, "team", "database", "search", "petrol", "car", "--project", "lake", "--team", "acme",
                  "--as", "ada", env=reading)  # fmt: skip

    assert (told.status, "only reads" in told.err) == (1, True)
