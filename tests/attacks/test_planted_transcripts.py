"""A transcript that somebody put into a client's history folder passes for what the user said.

Published as: memory injection without access to the memory (MINJA, arXiv 2503.03704); poisoned experience that an
agent takes for its own (MemoryGraft, arXiv 2512.16962); instructions that sleep in a memory and wake in a later session
("zombie agents"; SpAIware, Rehberger 2024; delayed tool invocation, Rehberger 2025). Four clients, every shape in which
they keep sessions; real commands, and a real hook in the session that comes after.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.counting import note
from tests.attacks.planted_sessions import PLANTS, RULE
from tests.journeys.conftest import run_in
from tests.journeys.hooking import Client
from tests.waiting import LONG

COUNTS = {"planted": 0, "candidates": 0, "user's word": 0, "told to another session": 0}
WORD = "acme"
FILES = ("briefing.json", "context/MEMORY.md", "context/todo.md", "context/working-buffer.md", "log", "learning")


class Place:
    """A workspace, and the history folders of its user."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, self.user = tmp_path / "project", Path(os.environ["HOME"])
        self.folder.mkdir()
        for name in ("log", "learning"):
            assert not (self.folder / ".holdfast" / name).exists()

    def run(self, *words: str, **more: Any) -> Any:
        done = run_in(self.folder, *words, **more)
        assert done.status == 0, done.err
        return done

    def candidates(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.run("list", "--candidates", "--json").json["candidates"]
        return found

    def told(self) -> str:
        """What a session that comes after is told, at its start, at a prompt about it, and before an edit there."""
        client = Client(self.folder, session="the-next-one", HOLDFAST_DISTIL_AUTO="false")
        return "\n".join([client.start(), client.says("install the acme packages"), client.edits("acme.py")])

    def written(self) -> str:
        """What lies in the files that later sessions are told from, or read."""
        texts = []
        for name in FILES:
            path = self.folder / ".holdfast" / name
            every = path.rglob("*") if path.is_dir() else [path]
            texts += [each.read_text(encoding="utf-8") for each in every if each.is_file()]
        return "\n".join(texts)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.run("init", "--yes", "--client", "none")
    return made


@pytest.mark.parametrize("shape", PLANTS)
def test_what_was_planted_is_nobodys_word(place: Place, shape: str) -> None:
    PLANTS[shape](place.folder, place.user)
    assert "no hook heard" in place.run("harvest").out
    place.run("distil", "--all")

    found = place.candidates()
    theirs = [each for each in found if each["said_by"] == "user"]
    written, told = place.written(), place.told()
    kept = place.run("list", "--json").json["memories"]
    note(durable=bool(kept), word=bool(theirs), told=WORD in told or WORD in written, out=WORD in told)
    COUNTS["planted"] += 1
    COUNTS["candidates"] += len(found)
    COUNTS["user's word"] += len(theirs)
    COUNTS["told to another session"] += WORD in told
    # None is dropped: a person may see what was tried, and whose it says it is.
    assert any(RULE[:20] in str(each) for each in found)
    assert not theirs
    assert WORD not in told
    assert WORD not in written


@pytest.mark.no_attack
def test_it_is_counted_what_came_through() -> None:
    print("planted transcripts:", ", ".join(f"{what} {count}" for what, count in COUNTS.items()))
    assert COUNTS["user's word"] == COUNTS["told to another session"] == 0


@pytest.mark.no_attack
@pytest.mark.parametrize("shape", ["claude", "codex", "gemini", "opencode"])
def test_a_session_is_the_users_once_a_person_vouched_for_it(place: Place, shape: str) -> None:
    PLANTS[shape](place.folder, place.user)
    place.run("harvest")
    place.run("distil", "--all")
    place.run("harvest", "--vouch")

    assert {each["said_by"] for each in place.candidates() if RULE[:20] in str(each)} == {"user"}
    assert WORD in place.told()
    sessions = place.run("session", "list", "--json").json["sessions"]
    [session] = [each["id"] for each in sessions if each["id"] != "the-next-one"]
    place.run("harvest", "--unvouch", session)
    assert not [each for each in place.candidates() if each["said_by"] == "user"]


@pytest.mark.no_attack
def test_what_is_there_when_a_person_makes_the_workspace_is_theirs(tmp_path: Path) -> None:
    place = Place(tmp_path)
    PLANTS["claude"](place.folder, place.user)
    said = place.run("init", "--yes", "--client", "none").out
    place.run("harvest")
    place.run("distil", "--all")

    assert "Counted as yours: 1 session from before" in said
    assert "user" in {each["said_by"] for each in place.candidates()}
    # Made again, it vouches for nothing that came since.
    PLANTS["claude-typed"](place.folder, place.user)
    assert "Counted as yours" not in place.run("init", "--yes", "--client", "none").out
    assert len(place.run("harvest", "--json").json["unvouched"]) == 1


def answer_in_terminal(place: Place, keys: bytes) -> str:
    """What `harvest` prints where a person sits at its terminal and types something."""
    ours, theirs = os.openpty()
    os.write(ours, keys)
    done = subprocess.run(
        [str(Path(sys.executable).parent / "holdfast"), "harvest"], cwd=place.folder, stdin=theirs,
        capture_output=True, text=True, timeout=LONG, check=True,
    )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    return done.stdout + done.stderr


@pytest.mark.parametrize(("keys", "whose"), [(b"\n", "user"), (b"n\n", "agent")])
def test_a_person_is_asked_once(place: Place, keys: bytes, whose: str) -> None:
    PLANTS["claude"](place.folder, place.user)
    asked = answer_in_terminal(place, keys)
    place.run("distil", "--all")

    assert "1 session of Claude Code that no hook heard" in asked
    assert RULE[:20] in asked
    assert "are they yours? [Y/n]" in asked
    assert {each["said_by"] for each in place.candidates() if RULE[:20] in str(each)} == {whose}
    assert "are they yours" not in answer_in_terminal(place, b"y\n")


def test_an_agent_vouches_for_nothing(place: Place) -> None:
    PLANTS["claude"](place.folder, place.user)
    place.run("harvest")

    for words in (("--vouch",), ("--unvouch", "x"), ("--no-vouch",)):
        refused = run_in(place.folder, "harvest", *words, env={"CLAUDECODE": "1"})
        assert refused.status == 2, refused.out
    assert len(place.run("harvest", "--json").json["unvouched"]) == 1


def test_an_agent_cannot_quote_what_was_planted(place: Place) -> None:
    PLANTS["claude"](place.folder, place.user)
    place.run("harvest")

    proposed = run_in(place.folder, "propose", "learning", RULE, "--quote", RULE, "--json", env={"CLAUDECODE": "1"})
    name = json.loads(proposed.out)["id"]
    assert [each["said_by"] for each in place.candidates() if each["id"] == name] == ["agent"]


def test_a_rule_of_the_users_accepts_nothing_of_it(place: Place) -> None:
    Path(os.environ["HOLDFAST_HOME"], "config.toml").write_text('auto_accept = "confidence > 0.1"\n', encoding="utf-8")
    PLANTS["claude"](place.folder, place.user)
    place.run("harvest")
    place.run("distil", "--all")

    assert place.run("list", "--json").json["memories"] == []


def test_a_file_that_came_while_no_client_ran_is_named(place: Place) -> None:
    PLANTS["claude"](place.folder, place.user)
    path = next((place.user / ".claude/projects").rglob("*.jsonl"))
    os.utime(path)

    found = place.run("harvest").out
    assert "came into a history folder while no client ran" in found
    assert path.name in found
    assert "while no client ran" in place.run("status").out
    assert "while no client ran" in run_in(place.folder, "doctor").out
    place.run("harvest", "--no-vouch")
    assert "while no client ran" not in place.run("status").out
    assert not [each for each in place.candidates() if each["said_by"] == "user"]


@pytest.mark.no_attack
def test_a_session_that_hooks_heard_is_the_users(place: Place) -> None:
    PLANTS["claude-typed"](place.folder, place.user)
    path = next((place.user / ".claude/projects").rglob("*.jsonl"))
    heard = Client(place.folder, session=path.stem, HOLDFAST_DISTIL_AUTO="false")
    heard.send("SessionStart", source="startup", transcript_path=str(path))

    assert place.run("harvest", "--json").json["unvouched"] == []
    place.run("distil", "--all")
    assert {each["said_by"] for each in place.candidates()} == {"user"}
