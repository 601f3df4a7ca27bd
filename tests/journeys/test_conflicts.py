"""What contradicts what, as a person sees it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.terminal import Terminal

Run = Any


@pytest.fixture
def holdfast(bare: Run, folder: Path) -> Run:
    bare("init", "--yes", "--client", "none")
    return bare


def kept(holdfast: Run, verb: str, *words: str) -> str:
    done = holdfast(verb, *words, "--json")
    assert done.status == 0, done.err
    return str(done.json["id"])


def test_a_candidate_that_contradicts_is_shown_with_both_texts(holdfast: Run) -> None:
    old = kept(
        holdfast,
        "remember",
        "decision",
        "Use Postgres for storage",
        "--choice",
        "Postgres",
        "--rejected",
        "SQLite: one writer",
    )
    kept(holdfast, "remember", "decision", "Redis for the cache", "--choice", "Redis")
    new = kept(holdfast, "propose", "decision", "Use SQLite for storage", "--choice", "SQLite")

    told = holdfast("check", "--memories")
    found = holdfast("check", "--memories", new, "--json").json

    assert told.status == 1
    assert f"contradicts  {old}" in told.out
    assert "which the other turned down (one writer)" in told.out
    assert [(each["new"]["id"], each["relation"], each["old"]["id"]) for each in found["conflicts"]] == [
        (new, "contradicts", old)
    ]
    assert found["conflicts"][0]["old"]["text"] == "SQLite: one writer"
    assert found["looked_at"] == 1


def test_memories_that_repeat_each_other_are_found_once(holdfast: Run) -> None:
    first = kept(holdfast, "remember", "invariant", "Never commit secrets to the repository")
    second = kept(holdfast, "remember", "invariant", "Secrets must never be committed to the repo")

    found = holdfast("check", "--memories", "--json").json["conflicts"]

    assert [each["relation"] for each in found] == ["duplicates"]
    assert {found[0]["new"]["id"], found[0]["old"]["id"]} == {first, second}


def test_what_was_superseded_is_no_conflict(holdfast: Run) -> None:
    old = kept(holdfast, "remember", "invariant", "Access tokens live for 24 hours")
    assert holdfast("remember", "invariant", "Access tokens live for 15 minutes", "--supersedes", old).status == 0

    done = holdfast("check", "--memories")

    assert done.status == 0
    assert "No conflicts and no duplicates" in done.out


def test_an_empty_workspace_has_none(holdfast: Run) -> None:
    done = holdfast("check", "--memories", "--json")

    assert (done.status, done.json) == (0, {"conflicts": [], "looked_at": 0})


def test_an_id_that_is_not_there_is_said(holdfast: Run) -> None:
    done = holdfast("check", "--memories", "CAND-NOPE00")

    assert done.status == 3
    assert "Nothing has the id 'CAND-NOPE00'" in done.err


def test_a_model_may_be_stricter_and_its_absence_is_told(holdfast: Run, tmp_path: Path) -> None:
    old = kept(holdfast, "remember", "pattern", "Nothing is deployed before the weekend")
    new = kept(holdfast, "propose", "pattern", "Ship what is deployed on Friday evenings")
    answer = {
        "relation": "contradicts", "reason": "Friday evening is before the weekend", "sure": 0.9,
        "new_quote": "on Friday evenings", "old_quote": "before the weekend",
    }  # fmt: skip
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"data": answer, "when": "weekend"}) + "\n")

    without = holdfast("check", "--memories", new, "--model")
    judged = holdfast("check", "--memories", new, "--model", "--json", "--set", f"model=scripted:{script}")

    assert without.status == 6
    assert "No model can judge" in without.err
    assert [(each["relation"], each["rule"], each["old"]["id"]) for each in judged.json["conflicts"]] == [
        ("contradicts", "judge", old)
    ]


def test_more_than_a_screenful_is_counted_and_shown_when_asked_for(holdfast: Run, folder: Path) -> None:
    for number in range(6):
        head = f"id: LRN-00000{number}\ntype: learning\nstatus: accepted\ntitle: Tests need TZ=UTC"
        path = folder / f".holdfast/memory/LRN-00000{number}.md"
        path.write_text(f"---\n{head}\n---\nTests need TZ=UTC.\n")

    some, everything = holdfast("check", "--memories"), holdfast("check", "--memories", "--all")
    pairs = len(holdfast("check", "--memories", "--json").json["conflicts"])

    assert pairs > 8
    assert some.out.count("duplicates") == 8
    assert some.out.splitlines()[-1] == f"… {pairs - 8} more: --all"
    assert (everything.out.count("duplicates"), "more: --all" in everything.out) == (pairs, False)


def test_what_is_in_conflict_waits_and_is_told_with_a_command_that_can_be_typed(holdfast: Run) -> None:
    old = kept(holdfast, "remember", "decision", "Cache in memory", "--choice", "memory", "--rejected", "Redis: no")
    told = holdfast("remember", "decision", "Use Redis for the cache", "--choice", "Redis")
    waits = holdfast("list", "--candidates", "--json").json["candidates"][0]["id"]

    assert told.status == 4
    assert f"contradicts {old}" in told.out
    assert f"{waits} --supersede | --keep-old | --narrow GLOB | --keep-both --because WHY" in told.out


@pytest.mark.parametrize(
    ("way", "holding"),
    [
        (("--supersede",), {"Use Redis for the cache"}),
        (("--keep-old",), {"Cache in memory"}),
        (("--narrow", "src/web/**"), {"Cache in memory", "Use Redis for the cache"}),
        (("--keep-both", "--because", "two processes"), {"Cache in memory", "Use Redis for the cache"}),
    ],
)
def test_what_is_in_conflict_is_kept_at_once_with_the_persons_word(
    holdfast: Run, way: tuple[str, ...], holding: set[str]
) -> None:
    kept(holdfast, "remember", "decision", "Cache in memory", "--choice", "memory", "--rejected", "Redis: no")

    assert holdfast("remember", "decision", "Use Redis for the cache", "--choice", "Redis", *way).status == 0

    kept_now = holdfast("list", "--json").json["memories"]
    assert {each["title"] for each in kept_now if not each.get("valid_until")} == holding
    assert holdfast("list", "--candidates", "--json").json["candidates"] == []


def test_keeping_both_needs_a_reason_before_anything_is_written(holdfast: Run) -> None:
    done = holdfast("remember", "decision", "Use Redis for the cache", "--keep-both")

    assert (done.status, holdfast("list", "--json").json["memories"]) == (2, [])


def test_in_a_terminal_a_person_is_asked_which_stays(holdfast: Run, folder: Path) -> None:
    kept(holdfast, "remember", "decision", "Use stamina instead of tenacity")
    terminal = Terminal(folder, "remember", "decision", "Use tenacity instead of stamina")
    try:
        terminal.see("Which stays?")
        terminal.press("s\r")
        assert terminal.end() == 0
    finally:
        terminal.close()

    assert "before" in holdfast("list", "--by", "subject").out
