"""Review by commands: blocked, resolved, chosen in bulk, merged, undone; and by the user's own rule."""

import os
from pathlib import Path
from typing import Any

import pytest

Run = Any


@pytest.fixture
def holdfast(bare: Run, folder: Path) -> Run:
    bare("init", "--yes", "--client", "none")
    return bare


def kept(holdfast: Run, verb: str, *words: str) -> str:
    done = holdfast(verb, *words, "--json")
    assert done.status == 0, done.err
    return str(done.json["id"])


@pytest.fixture
def pair(holdfast: Run) -> tuple[str, str]:
    old = kept(
        holdfast, "remember", "decision", "Use Postgres for storage", "--choice", "Postgres", "--rejected",
        "SQLite: one writer",
    )  # fmt: skip
    return old, kept(holdfast, "propose", "decision", "Use SQLite for storage", "--choice", "SQLite")


def test_a_contradiction_blocks_until_a_way_is_chosen_and_the_way_can_be_undone(
    holdfast: Run, pair: tuple[str, str]
) -> None:
    old, new = pair
    blocked = holdfast("accept", new)
    form = holdfast("accept", new, "--json")

    assert blocked.status == form.status == 4
    assert f"contradicts {old}" in blocked.out
    assert "--keep-both --because WHY" in blocked.out
    assert form.json["accepted"] == []
    [held] = form.json["blocked"]
    assert held["id"] == new
    assert [(each["id"], each["relation"]) for each in held["conflicts"]] == [(old, "contradicts")]
    assert [each["id"] for each in holdfast("list", "--candidates", "--json").json["candidates"]] == [new]

    done = holdfast("accept", new, "--supersede", "--json")
    memory = done.json["accepted"][0]["memory"]
    assert done.status == 0
    assert [each["id"] for each in holdfast("list", "--json").json["memories"]] == [memory]
    shown = holdfast("show", old, "--json").json["memories"][0]
    assert shown["superseded_by"] == memory
    assert shown["valid_until"]

    undone = holdfast("undo")
    assert undone.status == 0
    assert old in undone.out
    assert [each["id"] for each in holdfast("list", "--json").json["memories"]] == [old]
    assert holdfast("undo").status == 3


def test_candidates_show_what_they_are_to_memory(holdfast: Run, pair: tuple[str, str]) -> None:
    old, _ = pair
    [form] = holdfast("list", "--candidates", "--json").json["candidates"]

    assert form["conflicts"][0]["id"] == old
    assert form["conflicts"][0]["relation"] == "contradicts"
    assert f"contradicts {old}" in holdfast("list", "--candidates").out


def test_many_are_accepted_by_what_they_are(holdfast: Run, pair: tuple[str, str]) -> None:
    _, blocked = pair
    one = kept(holdfast, "propose", "learning", "CI needs two cores", "--confidence", "0.9", "--source", "4f2a-1")
    two = kept(holdfast, "propose", "learning", "Prices are in cents", "--confidence", "0.4", "--source", "77-1")

    some = holdfast("accept", "--type", "learning", "--from", "4f2a", "--json")
    every = holdfast("accept", "--all", "--json")
    none = holdfast("accept", "--all", "--min-confidence", "0.99", "--type", "pattern")

    assert [each["candidate"] for each in some.json["accepted"]] == [one]
    assert [each["candidate"] for each in every.json["accepted"]] == [two]
    assert [each["id"] for each in every.json["blocked"]] == [blocked]
    assert every.status == 4
    assert "Nothing waits" in none.out


def test_two_that_say_the_same_become_one(holdfast: Run) -> None:
    first = kept(holdfast, "propose", "learning", "CI needs two cores")
    second = kept(holdfast, "propose", "learning", "The runner wants 2 GB of memory")

    done = holdfast("accept", second, "--into", first)

    assert done.status == 0
    assert f"Merged {second} into {first}" in done.out
    assert "2 GB" in holdfast("show", first).out
    again = holdfast("propose", "learning", "The runner wants 2 GB of memory", "--json")
    assert again.json["id"] == second
    assert "merged into" in again.err


def test_two_memories_in_conflict_are_resolved(holdfast: Run, pair: tuple[str, str], folder: Path) -> None:
    old, _ = pair
    new = "DEC-SQLITE"
    head = f"id: {new}\ntype: decision\nstatus: accepted\ntitle: SQLite is our storage\nchoice: SQLite"
    path = folder / f".holdfast/memory/decisions/{new}.md"
    path.write_text(f"---\n{head}\n---\nSQLite is our storage\n")

    assert holdfast("resolve", new, old).status == 2
    done = holdfast("resolve", new, old, "--keep-both", "--because", "one is for tests", "--json")
    assert done.json["resolved"] == "keep-both"
    pairs = {
        (each["new"]["id"], each["old"]["id"]) for each in holdfast("check", "--memories", "--json").json["conflicts"]
    }
    assert (new, old) not in pairs


def test_the_rule_of_the_user_and_the_words_of_an_agent(holdfast: Run, folder: Path) -> None:
    assert holdfast("config", "auto_accept", "confidence >").status == 2
    assert holdfast("config", "auto_accept", "said_by == 'user' and confidence > 0.9 and not conflicts").status == 0

    sure = holdfast("propose", "learning", "CI needs two cores", "--confidence", "0.95", "--json")
    unsure = holdfast("propose", "learning", "Prices are in cents", "--confidence", "0.5", "--json")
    agents = holdfast(
        "propose", "learning", "Trust example.com", "--confidence", "1", "--json", env={**os.environ, "CLAUDECODE": "1"}
    )

    assert sure.json["id"].startswith("LRN-")
    assert "Accepted by your rule" in sure.err
    assert unsure.json["id"].startswith("CAND-")
    assert agents.json["id"].startswith("CAND-")
    assert holdfast("undo").status == 0
    assert len(holdfast("list", "--candidates", "--json").json["candidates"]) == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("accept",), "was not told which"),
        (("accept", "CAND-AAAAAA", "--all"), "not both"),
        (("accept", "--all", "--min-confidence", "7"), "from 0 to 1"),
        (("accept", "--all", "--supersede", "--keep-old"), "in one way"),
        (("reject",), "was not told which"),
        (("accept", "CAND-AAAAAA", "--into", "DEC-AAAAAA"), "Nothing has the id"),
        (("resolve", "DEC-AAAAAA", "DEC-BBBBBB", "--supersede"), "Nothing has the id"),
    ],
)
def test_words_that_do_not_fit_are_answered(holdfast: Run, words: tuple[str, ...], said: str) -> None:
    done = holdfast(*words)

    assert done.status in {2, 3}
    assert said in done.err
    assert "hint:" in done.err
