"""What kind of thing a name is, by rules."""

import time

import pytest
from tests.index_values import memory

from holdfast.core.memory import Citation
from holdfast.index.entry_passages import names_of, spelled_names
from holdfast.index.extract_names import spell_names
from holdfast.index.name_kinds import ENTITY, FILE, PACKAGE, PERSON, SYMBOL, TAG, is_file
from holdfast.index.spoken_passages import spell_spoken_names


@pytest.mark.parametrize(
    ("text", "name", "kind", "written"),
    [
        ("see src/users/repo.py", "src users repo py", FILE, "src/users/repo.py"),
        ("see src/users/repo.py", "repo py", FILE, "repo.py"),
        ("see ./run/now", "run now", FILE, "./run/now"),
        ("the README.md says", "readme md", FILE, "README.md"),
        ("edit config.toml first", "config toml", FILE, "config.toml"),
        ("the `Dockerfile` copies", "dockerfile", FILE, "Dockerfile"),
        ("in `tests/unit`", "tests unit", FILE, "tests/unit"),
        ("call get_user_by_id", "get user by id", SYMBOL, "get_user_by_id"),
        ("call getUserById", "getuserbyid", SYMBOL, "getUserById"),
        ("the class UserRepository", "userrepository", SYMBOL, "UserRepository"),
        ("MAX_RETRIES is 3", "max retries", SYMBOL, "MAX_RETRIES"),
        ("it uses os.path.join a lot", "os path join", SYMBOL, "os.path.join"),
        ("flush() is slow", "flush", SYMBOL, "flush()"),
        ("the `flush` flag", "flush", SYMBOL, "flush"),
        ("pip install httpx", "httpx", PACKAGE, "httpx"),
        ("run `uv pip install 'wordllama[all]>=0.4'`", "wordllama", PACKAGE, "wordllama"),
        ("npm install --save-dev @types/node", "types node", PACKAGE, "@types/node"),
        ("cargo add serde", "serde", PACKAGE, "serde"),
        ("from sqlalchemy.orm import Session", "sqlalchemy", PACKAGE, "sqlalchemy"),
        ("import numpy as np", "numpy", PACKAGE, "numpy"),
        ("const x = require('express')", "express", PACKAGE, "express"),
        ("we pin redis==5.0.1", "redis", PACKAGE, "redis"),
        ("lodash@4.17.21 is old", "lodash", PACKAGE, "lodash"),
        ("the library `tenacity` retries", "tenacity", PACKAGE, "tenacity"),
        ("the `tenacity` package retries", "tenacity", PACKAGE, "tenacity"),
        ("Redis is fast: pip install redis", "redis", PACKAGE, "redis"),
        ("ask @octocat about it", "octocat", PERSON, "octocat"),
        ("Caroline said so", "caroline", PERSON, "Caroline"),
        ("according to Ann Lee", "ann lee", PERSON, "Ann Lee"),
        ("Ann Lee <ann@example.invalid>", "ann lee", PERSON, "Ann Lee"),
        ("Caroline went to New York", "new york", ENTITY, "New York"),
        ("Postgres is slow", "postgres", ENTITY, "Postgres"),
        ("GitHub was down", "github", ENTITY, "GitHub"),
        ("see https://example.com/a/b.html", "example com a b html", ENTITY, "example.com/a/b.html"),
        ("read/write and and/or", "read write", ENTITY, "read/write"),
        ("run `make all now`", "make all now", ENTITY, "make all now"),
    ],
)
def test_a_name_has_a_kind_and_a_spelling(text: str, name: str, kind: str, written: str) -> None:
    assert spell_names(text)[name] == (kind, written)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The Bank of England said so", PERSON),
        ("Nobody said so", PERSON),
        ("Monday said no", PERSON),
        ("write to ann@example.invalid", PERSON),
        ("def f():\n    pass\n@wraps\ndef g(): ...", PERSON),
        ("@pytest.fixture", PERSON),
        ("import the data first", PACKAGE),
        ("install the thing", PACKAGE),
        ("pip install -r requirements.txt", PACKAGE),
        ("a >= 3 and b == 4", PACKAGE),
        ("version 1.2.3 at 10.0.0.1", FILE),
        ("e.g. this, i.e. that", SYMBOL),
        ("example.com and docs.example.org", SYMBOL),
        ("It works.Then it does not", SYMBOL),
    ],
)
def test_rules_claim_nothing_that_they_do_not_know(text: str, kind: str) -> None:
    assert kind not in {found for found, _ in spell_names(text).values()}


def test_the_fields_of_a_memory_tell_kinds() -> None:
    found = spelled_names(
        memory(title="Pool", paths=("src/db/**",), cites=(Citation(path="lib/pool.rb"),), tags=("database",))
    )

    assert found["src db"] == (FILE, "src/db/**")
    assert found["lib pool rb"] == (FILE, "lib/pool.rb")
    assert found["database"] == (TAG, "database")


def test_names_are_the_same_whether_or_not_their_kinds_are_asked() -> None:
    one = memory(title="Use `httpx`", body="Caroline said: pip install httpx in src/app.py")

    assert names_of(one) == tuple(spelled_names(one))


def test_who_speaks_is_a_person_unless_it_is_a_part() -> None:
    assert spell_spoken_names("hello", "caroline")["caroline"] == (PERSON, "caroline")
    assert spell_spoken_names("hello", "agent") == {}


@pytest.mark.parametrize("text", ["src/app.py", "package.json", "Makefile", "/etc/hosts", "~/notes", ".gitignore"])
def test_what_reads_as_a_path(text: str) -> None:
    assert is_file(text)


@pytest.mark.parametrize("text", ["redis", "and/or", "TCP/IP", "1/2", "2.0", "https://a.b/c.py", "v1.2", "a.b"])
def test_what_does_not(text: str) -> None:
    assert not is_file(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a.",
        "a_",
        "@a/",
        "Aa",
        "A ",
        "a/",
        "`",
        "pip install ",
        "from ",
        "A.A.",
        "a==",
        "Author: ",
        "x()",
        "\n",
        " ",
        "\t",
        "> ",
        "import ",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    begun = time.process_time()
    spell_names(piece * 20_000)

    assert time.process_time() - begun < 5
