"""Setting up, with the offer of a model: only a person takes it, and what a session costs is said."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.terminal import Terminal
from tests.unit.llm.talking import KEY, serving, status

VARIABLES = ("ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "OLLAMA")


@pytest.fixture(autouse=True)
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with Claude Code on its PATH and a key of OpenAI, where no Ollama answers."""
    for name in [each for each in os.environ if each.startswith(VARIABLES)]:
        monkeypatch.delenv(name)
    programs = tmp_path / "programs"
    programs.mkdir()
    claude = programs / "claude"
    claude.write_text("#!/bin/sh\nexit 1\n")
    claude.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


def setting(bare: Any) -> Any:
    return bare("config", "model", "list", "--json").json["model"]


def initialize(folder: Path, answer: str) -> str:
    screen = Terminal(folder, "init", "--client", "none", size=(200, 40))
    screen.see("[y/N]")
    screen.press("y\n")
    screen.see("Enter for none:")
    shown = screen.shown()
    screen.press(answer)
    assert screen.end() == 0
    return shown + screen.shown()


def test_what_runs_here_is_offered_with_its_cost_and_taken_by_its_number(folder: Path, bare: Any) -> None:
    shown = initialize(folder, "2\n")

    assert "1  client:claude" in shown
    assert re.search(r"about [\d,]+ tokens of your subscription", shown)
    assert re.search(
        r"2  openai:gpt-\S+ +\$OPENAI_API_KEY is set; a session of usual length costs about \d+\.\d cents", shown
    )
    assert "50 cents a session, 200 cents a day" in shown
    assert KEY not in shown
    assert "ollama" not in shown
    assert setting(bare).startswith("openai:gpt-")


@pytest.mark.parametrize("answer", ["\n", "7\n", "yes\n", "0\n"])
def test_without_a_number_there_is_none_and_nobody_asks_again(folder: Path, bare: Any, answer: str) -> None:
    shown = initialize(folder, answer)
    again = Terminal(folder, "init", "--client", "none")

    assert "by rules alone" in shown
    assert again.end() == 0
    assert "Which one?" not in again.shown()
    assert setting(bare) == ""


@pytest.mark.parametrize("words", [("--yes",), ("--yes", "--json")])
def test_whoever_is_not_asked_gets_none(bare: Any, words: tuple[str, ...]) -> None:
    done = bare("init", "--client", "none", *words)

    assert done.status == 0
    assert "Which one?" not in done.out + done.err
    assert setting(bare) == ""


def test_a_flag_names_the_model(bare: Any) -> None:
    done = bare("init", "--client", "none", "--yes", "--model", "client:claude", "--json")

    assert done.json["model"] == "client:claude"
    assert setting(bare) == "client:claude"


def test_a_model_that_is_none_is_refused_before_anything_is_written(bare: Any, folder: Path) -> None:
    done = bare("init", "--client", "none", "--yes", "--model", "best-model")

    assert done.status == 2
    assert "'best-model'" in done.err
    assert not (folder / ".holdfast").exists()


def test_an_agent_sets_no_model(bare: Any, folder: Path) -> None:
    done = bare("init", "--client", "none", "--yes", "--model", "client:claude", env={"CLAUDECODE": "1"})

    assert done.status == 2
    assert not (folder / ".holdfast").exists()


def test_a_server_on_this_machine_is_offered_by_the_models_it_has(
    folder: Path, bare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(status(500)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        shown = initialize(folder, "3\n")

    assert "3  ollama:first" in shown
    assert "nothing, on this machine, nothing leaves it" in shown
    assert setting(bare) == "ollama:first"
