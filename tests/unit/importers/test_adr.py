"""Decision records as people write them."""

from pathlib import Path

import pytest

from holdfast.core.memory import SaidBy
from holdfast.importers.decision_records import ADR, AdrRecord, parse_record
from holdfast.importers.import_values import ImportedItem, ImportLink, ImportSource, RejectedItem

NYGARD = """\
# 4. Keep orders in PostgreSQL

Date: 2024-03-05

## Status

Accepted

Supersedes [2. Keep orders in files](0002-files.md)

## Context

Orders grow. Where shall they live?

## Decision

We will keep orders in PostgreSQL. It is boring.

## Consequences

Backups are needed.
"""

MADR_2 = """\
# Choose a queue

* Status: superseded by [ADR-0009](0009-streams.md)
* Deciders: Ann, Ben
* Date: 2023-01-31

## Context and Problem Statement

Which queue carries our jobs?

## Considered Options

* RabbitMQ
* [Kafka](https://kafka.apache.org)
* A table in the database

## Decision Outcome

Chosen option: "A table in the database", because nothing else has to run.

## Pros and Cons of the Options

### RabbitMQ

* Good, because it is known
* Bad, because it is one more server

### Kafka

* Bad, because it is heavy
* Bad, because nobody here has run it

### A table in the database

* Good, because it is there
"""

MADR_4 = """\
---
status: "accepted"
date: 2025-06-01
decision-makers: Ann
---

# Use uv for installs

## Context and Problem Statement

Installs take minutes.

## Considered Options

1. uv
2. poetry
3. pip-tools

## Decision Outcome

Chosen option: uv, because it is fast.

### Consequences

* Good, because CI is faster
* Bad, because it is young
"""

ALTERNATIVES = """\
# ADR 12: One cache

**Status:** Proposed
**Date:** 7 May 2024

## Decision

Use the process's own cache.

## Alternatives considered

**Redis.** Rejected because it is one more server to run.

**Memcached.** It loses everything on restart, but is fast.
"""

TABLE = """\
# Pick a parser

| Status | Accepted |
|---|---|

## Decision

We will take `lark`.

## Options considered

| Option | Pros | Cons |
|---|---|---|
| lark (chosen) | small | slow on big input |
| ANTLR | fast | needs Java |
| by hand | no dependency | weeks of work |
"""

OWN_HEADINGS = """\
# How to ship

## Status: Accepted

## Option 1: A container

Cons:
- the image is large

## Option 2: A wheel

Pros:
- pip is enough

## Decision

We chose option 2.
"""

RST = """\
Keys for courses
================

Status
------

Accepted (2022)

Context
-------

Two systems name courses.

Decision
--------

We will use the catalogue's key.

Rejected Alternatives
---------------------

- A new number: nobody would know it
"""

ADOC = """\
= Logs go to stdout

:status: accepted

== Context

Containers are read by their output.

== Decision

We will write logs to stdout.
"""

FRENCH = """\
# 7. Calcul des notes

Date : 2021-07-21

## État

Accepté

## Contexte

Le calcul est lent.

## Décision

Nous déplaçons le calcul dans l'API.
"""


def of(text: str, name: str = "0001-a.md") -> AdrRecord:
    return parse_record(text, name)


def options(made: AdrRecord) -> dict[str, str]:
    return {each.option: each.reason for each in made.rejected}


def test_a_nygard_record_gives_its_fields() -> None:
    made = of(NYGARD, "0004-orders.md")

    assert (made.title, made.state, made.date) == ("Keep orders in PostgreSQL", "accepted", "2024-03-05")
    assert made.choice == "We will keep orders in PostgreSQL."
    assert made.question == "Where shall they live?"
    assert made.links == (ImportLink(kind="supersedes", to="0002-files.md"),)


def test_a_madr_record_gives_what_was_not_chosen_and_why() -> None:
    made = of(MADR_2)

    assert (made.state, made.date, made.choice) == ("superseded", "2023-01-31", "A table in the database")
    assert options(made) == {
        "RabbitMQ": "it is one more server",
        "Kafka": "it is heavy; nobody here has run it",
    }
    assert ImportLink(kind="superseded_by", to="0009-streams.md") in made.links
    assert made.deciders == "Ann, Ben"


def test_madr_4_has_its_status_in_the_frontmatter() -> None:
    made = of(MADR_4)

    assert (made.state, made.date, made.choice) == ("accepted", "2025-06-01", "uv")
    assert set(options(made)) == {"poetry", "pip-tools"}


def test_alternatives_are_what_was_not_chosen() -> None:
    made = of(ALTERNATIVES)

    assert (made.title, made.state, made.date) == ("One cache", "proposed", "2024-05-07")
    assert options(made) == {
        "Redis": "Rejected because it is one more server to run.",
        "Memcached": "It loses everything on restart, but is fast.",
    }


def test_a_table_of_options_gives_the_cons_as_reasons() -> None:
    made = of(TABLE)

    assert made.state == "accepted"
    assert options(made) == {"ANTLR": "needs Java", "by hand": "weeks of work"}


def test_an_option_chosen_by_its_number_is_named() -> None:
    made = of(OWN_HEADINGS)

    assert (made.state, made.choice) == ("accepted", "A wheel")
    assert options(made) == {"A container": "the image is large"}


def test_restructured_text_and_asciidoc_are_read() -> None:
    rst, adoc = of(RST, "0007-keys.rst"), of(ADOC, "0008-logs.adoc")

    assert (rst.title, rst.state, rst.choice) == ("Keys for courses", "accepted", "We will use the catalogue's key.")
    assert options(rst) == {"A new number": "nobody would know it"}
    assert (adoc.title, adoc.choice) == ("Logs go to stdout", "We will write logs to stdout.")


def test_other_languages_are_read() -> None:
    made = of(FRENCH)

    assert (made.title, made.state, made.date) == ("Calcul des notes", "accepted", "2021-07-21")
    assert made.choice == "Nous déplaçons le calcul dans l'API."


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("✅ Accepted", "accepted"),
        ("Approved on 2020-01-02", "accepted"),
        ("ACCEPTED Not Implemented", "accepted"),
        ("❌ Rejected", "rejected"),
        ("Pending review", "proposed"),
        ("Superceded by ADR021.", "superseded"),
        ("Implemented. Superseded by ADR-013.", "superseded"),
        ("Accepted\n\nDeprecated - see ADR 17", "deprecated"),
        ("**Partially superseded** by [ADR 9](0009-x.md)", "accepted"),
        ("Proposed [Proposed, Accepted, Rejected, Superseded]", "proposed"),
        ("~~Accepted~~ Deprecated", "deprecated"),
        ("Accepted. Replaces [8](deprecated/008-old.md)", "accepted"),
    ],
)
def test_a_status_is_told_however_it_is_written(status: str, state: str) -> None:
    made = of(f"# 1. X\n\n## Status\n\n{status}\n\n## Decision\n\nWe will do it.\n")

    assert made.state == state


@pytest.mark.parametrize(
    ("words", "links"),
    [
        (
            "This ADR supersedes [A](0003-a.md) and [B](0004-b.md).",
            {("supersedes", "0003-a.md"), ("supersedes", "0004-b.md")},
        ),
        ("**Replaced by [ADR 81](0081-x.md)**", {("superseded_by", "0081-x.md")}),
        ("Amended by ADR-0012.", {("amended_by", "#12")}),
        ("**Partially superseded** by [ADR 9](0009-x.md)", {("superseded_partly_by", "0009-x.md")}),
        ("This replaces ADR-0003's rules on naming.", {("supersedes_partly", "#3")}),
        ("Files in the queue are replaced by [links](0003-a.md) each night.", set()),
    ],
)
def test_links_are_told_only_by_words_about_this_record(words: str, links: set[tuple[str, str]]) -> None:
    made = of(f"# X\n\n{words}\n\n## Context\n\nSo.\n\n## Decision\n\nWe will.\n")

    assert {(link.kind, link.to) for link in made.links} == links


def folder(tmp_path: Path, **texts: str) -> ImportSource:
    for name, text in texts.items():
        path = tmp_path / name.replace("__", ".").replace("_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return ImportSource(path=str(tmp_path), label="docs/adr")


def test_a_folder_resolves_links_and_rejects_what_is_no_record(tmp_path: Path) -> None:
    old = "# 2. Keep orders in files\n\n## Status\n\nSuperseded by ADR 4\n\n## Decision\n\nFiles.\n"
    source = folder(tmp_path, **{"0002_files__md": old, "0004_orders__md": NYGARD, "README__md": "# Records\n"})

    found = list(ADR.read(source))

    rejected = [each for each in found if isinstance(each, RejectedItem)]
    made = {each.key: each for each in found if isinstance(each, ImportedItem)}
    assert [each.place for each in rejected] == ["docs/adr/README.md:1"]
    assert made["docs/adr/0004-orders.md"].links == (ImportLink(kind="supersedes", to="docs/adr/0002-files.md"),)
    assert made["docs/adr/0002-files.md"].links == (ImportLink(kind="superseded_by", to="docs/adr/0004-orders.md"),)
    assert made["docs/adr/0002-files.md"].over
    assert {each.memory.said_by for each in made.values()} == {SaidBy.TOOL}


def test_a_rejected_record_is_what_was_not_chosen(tmp_path: Path) -> None:
    text = "# 5. Use Redis\n\n## Status\n\nRejected\n\n## Decision\n\nIt is one more server to run.\n"

    (made,) = ADR.read(folder(tmp_path, **{"0005_redis__md": text}))

    assert isinstance(made, ImportedItem)
    assert made.memory.choice == ""
    assert [(each.option, each.reason) for each in made.memory.rejected] == [
        ("Use Redis", "It is one more server to run.")
    ]


def test_a_folder_of_records_is_known_by_its_files(tmp_path: Path) -> None:
    folder(tmp_path, **{"0002_files__md": NYGARD, "0004_orders__md": MADR_2})
    (tmp_path / "sub").mkdir()

    assert ADR.detect(str(tmp_path)) > 0.6
    assert ADR.detect(str(tmp_path / "sub")) == 0.0
