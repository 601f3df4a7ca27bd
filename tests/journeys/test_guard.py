"""`holdfast guard`: what it said, what it would say, and the policy it says it by."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

RULES = '[rules.sudo]\naction = "block"\n'


def said(folder: Path, month: str, *rows: dict[str, str] | str) -> Path:
    """A month's file, as the hook writes it."""
    file = folder / ".holdfast/security" / month / "security.jsonl"
    file.parent.mkdir(parents=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) + "\n")
    return file


def row(ts: str, action: str = "warn", rule: str = "sudo") -> dict[str, str]:
    return {
        "ts": ts, "session": "s", "client": "claude-code", "event": "01A", "tool": "Bash",
        "action": action, "rule": rule, "reason": f"{ts} because",
    }  # fmt: skip


def times(done: Any) -> list[str]:
    return [each["ts"] for each in done.json["verdicts"]]


def test_the_latest_verdicts_come_last(holdfast: Any, folder: Path) -> None:
    said(folder, "2026-09", row("2026-09-30T10:00:00Z"))
    said(folder, "2026-11", row("2026-11-01T10:00:00Z", "log"), row("2026-11-02T10:00:00Z", "block"))

    everything = holdfast("guard", "--json")

    assert times(everything) == ["2026-09-30T10:00:00Z", "2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z"]
    assert times(holdfast("guard", "--json", "-n", "2")) == ["2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z"]
    assert times(holdfast("guard", "--json", "--since", "2026-11-01T10:00:00Z", "--limit", "9")) == [
        "2026-11-01T10:00:00Z",
        "2026-11-02T10:00:00Z",
    ]
    only = holdfast("guard", "--json", "--action", "warn", "--action", "block")
    assert times(only) == ["2026-09-30T10:00:00Z", "2026-11-02T10:00:00Z"]
    assert "block  sudo  (claude-code, Bash)" in holdfast("guard").out


def test_lines_that_cannot_be_read_are_counted_and_stop_nothing(holdfast: Any, folder: Path) -> None:
    torn = json.dumps(row("2026-11-01T10:00:00Z"))[:40]
    said(folder, "2026-11", "junk", row("2026-11-02T10:00:00Z"), "[]", '{"action": "warn"}', torn)

    done = holdfast("guard", "--json")

    assert done.status == 0
    assert times(done) == ["2026-11-02T10:00:00Z"]
    assert [place.rpartition(":")[2] for place in done.json["broken"]] == ["1", "3", "4", "5"]
    assert "4 lines cannot be read" in done.err


def test_escape_codes_in_a_verdict_are_shown_and_not_obeyed(holdfast: Any, folder: Path) -> None:
    said(folder, "2026-11", row("2026-11-02T10:00:00Z") | {"reason": "\x1b[2Jgone", "rule": "\x1b[2J"})

    assert "\x1b" not in holdfast("guard").out


def test_nothing_noted_and_could_not_look_are_two_things(
    holdfast: Any, bare: Any, folder: Path, tmp_path: Path
) -> None:
    assert "noted nothing" in holdfast("guard").out
    (folder / ".holdfast/security/2026-11/security.jsonl").mkdir(parents=True)
    assert holdfast("guard").status == 6
    os.mkfifo(folder / ".holdfast/security/2026-11/pipe")
    (folder / ".holdfast/security/2026-11/security.jsonl").rmdir()
    (folder / ".holdfast/security/2026-11/pipe").rename(folder / ".holdfast/security/2026-11/security.jsonl")
    assert holdfast("guard").status == 6
    assert bare("guard", at=tmp_path).status == 3


@pytest.mark.parametrize(
    ("words", "status", "rule"),
    [
        (["rm -rf /"], 1, "delete-root"),
        (["--", "git", "push", "--force"], 1, "force-push"),
        (["--", "git", "commit", "-m", "a; sudo b"], 0, ""),
        (["rm -rf docs/old"], 0, "delete-tree"),
        (["ls"], 0, ""),
        (["--tool", "Write", "--path", "~/.ssh/config"], 1, "write-startup"),
        (["--tool", "Read", "--path", ".env"], 1, "read-secret"),
        (["--tool", "mcp__db__query", "--input", '{"sql": "DROP TABLE a"}'], 1, "drop-database"),
        (["--tool", "Write", "--path", ".holdfast/memory/x.md"], 1, "edit-memory"),
        (["holdfast accept CAND-1"], 1, "person-only"),
    ],
    ids=str,
)
def test_what_it_would_say(holdfast: Any, words: list[str], status: int, rule: str) -> None:
    done = holdfast("guard", "check", "--json", *words)

    assert done.status == status
    assert done.json["rule"] == rule


def test_checking_notes_nothing_and_works_inside_a_client(holdfast: Any, folder: Path) -> None:
    done = holdfast("guard", "check", "sudo ls", env={"CLAUDECODE": "1"})

    assert done.status == 1
    assert "sudo: sudo ls: runs with another user's rights" in done.out
    assert not (folder / ".holdfast/security").exists()


def test_outside_a_workspace_the_folder_counts_as_one(bare: Any) -> None:
    done = bare("guard", "check", "echo x > out.txt")

    assert done.status == 0
    assert "no workspace here" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ["chek"],
        ["check"],
        ["check", "--path", "x"],
        ["check", "--tool", "Read", "--input", "{"],
        ["check", "--tool", "Read", "--input", "[]"],
        ["check", "rm", "-rf", "/"],
        ["check", "ls", "--limit", "3"],
        ["--tool", "Bash"],
        ["policy", "x"],
        ["test", "--since", "2026-01-01"],
        ["--since", "yesterday"],
        ["--limit", "0"],
        ["--action", "allow"],
    ],
    ids=" ".join,
)
def test_words_that_do_not_fit_are_refused(holdfast: Any, words: list[str]) -> None:
    done = holdfast("guard", *words)

    assert done.status == 2
    assert done.err.startswith("error: ")


def test_the_policy_tells_where_each_rule_comes_from(holdfast: Any, home: Path) -> None:
    before = holdfast("guard", "policy")
    own = '[own.prod]\naction = "ask"\ncommands = ["kubectl *"]\n[except]\npaths = ["~/notes/*"]\n'
    (home / "guard.toml").write_text(RULES + own)

    policy = holdfast("guard", "policy", "--json").json
    shown = holdfast("guard", "policy").out

    assert f"Your file: {home}/guard.toml (not there" in before.out
    rules = {rule["name"]: rule for rule in policy["rules"]}
    assert (rules["sudo"]["action"], rules["sudo"]["from"]) == ("block", str(home / "guard.toml"))
    assert (rules["disk"]["action"], rules["disk"]["from"]) == ("warn", "default")
    assert [rule["name"] for rule in policy["own"]] == ["prod"]
    assert policy["except"]["paths"] == ["~/notes/*"]
    assert "commands: kubectl *" in shown
    assert "except paths: ~/notes/*" in shown


def test_the_tests_of_both_files_are_run(holdfast: Any, home: Path) -> None:
    (home / "guard.toml").write_text(RULES + '[[test]]\ncommand = "sudo ls"\nexpect = "block"\nrule = "sudo"\n')
    good = holdfast("guard", "test")
    (home / "guard.toml").write_text(RULES + '\n[[test]]\ncommand = "sudo ls"\nexpect = "warn"\n')
    bad = holdfast("guard", "test")
    as_json = holdfast("guard", "test", "--json").json

    assert good.status == 0
    assert "1 of yours: all as expected" in good.out
    assert bad.status == 1
    assert f"{home}/guard.toml:4  sudo ls" in bad.out
    assert "expected warn, got block (sudo" in bad.out
    assert [len(file["failed"]) for file in as_json["files"]] == [0, 1]


@pytest.mark.parametrize("verb", ["check", "policy", "test"])
@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (b"[rules.sudo]\naction = \n", "line 2"),
        (b"[rules.sudoo]\naction = 'block'\n", "no rule 'sudoo'"),
        (b"\xff\xfe", "not UTF-8"),
    ],
    ids=["no TOML", "no rule", "no text"],
)
def test_a_broken_policy_is_told_with_its_file(holdfast: Any, home: Path, verb: str, broken: bytes, words: str) -> None:
    (home / "guard.toml").write_bytes(broken)

    done = holdfast("guard", verb, *(["ls"] if verb == "check" else []))
    listed = holdfast("guard")

    assert done.status == 2
    assert words in done.err
    assert str(home / "guard.toml") in done.err
    assert listed.status == 0
    assert words in listed.err


def test_a_broken_test_is_told_and_the_rules_still_count(holdfast: Any, home: Path) -> None:
    (home / "guard.toml").write_text(RULES + '[[test]]\ncommand = "ls"\n')

    assert holdfast("guard", "test").status == 2
    assert "block  sudo" in holdfast("guard", "check", "sudo ls").out
    assert "needs what to expect" in holdfast("guard").err


@pytest.mark.parametrize("put", ["fifo", "folder"])
def test_what_is_no_file_in_the_policys_place_is_not_waited_for(holdfast: Any, home: Path, put: str) -> None:
    if put == "fifo":
        os.mkfifo(home / "guard.toml")
    else:
        (home / "guard.toml").mkdir()

    done = holdfast("guard", "check", "ls")

    assert done.status == 2
    assert "not a regular file" in done.err
