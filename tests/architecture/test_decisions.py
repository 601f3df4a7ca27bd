"""Decisions about the design: each is in the index, and in our own memory."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.folders import ROOT, SOURCE

ADRS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
INDEX = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d+) \| \[(.+?)\]\((.+?)\) \| (.+?) \| (\d{4}-\d{2}-\d{2}) \| (.+?) \|$", re.MULTILINE)
HEADING = re.compile(r"# (\d+)\. (.+) \((\d{4}-\d{2}-\d{2})\)")
STATUS = re.compile(r"accepted|superseded by \d+")


@pytest.mark.parametrize("path", ADRS, ids=lambda path: path.name)
def test_a_decision_has_a_number_a_title_and_a_date_of_its_own(path: Path) -> None:
    heading = HEADING.fullmatch(path.read_text(encoding="utf-8").partition("\n")[0])

    assert heading, "the first line: # NUMBER. TITLE (DATE)"
    assert path.name.startswith(f"{int(heading[1]):04}-")


def test_the_index_has_every_decision_in_order_as_it_calls_itself() -> None:
    headings = [HEADING.match(path.read_text(encoding="utf-8")) for path in ADRS]
    rows = ROW.findall(INDEX)

    told = [(number, title, name, date) for number, title, name, _, date, _ in rows]
    assert told == [
        (*found.group(1, 2), path.name, found[3]) for found, path in zip(headings, ADRS, strict=True) if found
    ]
    assert all(line and STATUS.fullmatch(status) for *_, line, _, status in rows)


MEMORY = ROOT / ".holdfast" / "memory"
# What a change may bring, and the decision that speaks against it.
BREACHES = {
    "src/holdfast/index/other_store.py": ("import sqlite3\n", "0001"),
    "src/holdfast/exchange/postgres/words.py": ("SQL = \"SELECT to_tsvector('english', text)\"\n", "0002"),
    "src/holdfast/core/point.py": ("from dataclasses import dataclass\n", "0004"),
    "src/holdfast/cli/fancy.py": ("import click\n", "0005"),
    "src/holdfast/hook/run_hook.py": ("import json\n", "0006"),
    "src/holdfast/llm/other_vendor.py": ("from httpx import Client\n", "0008"),
    "studio/src/parts/Raw.svelte": ("<p>{@html text}</p>\n", "0012"),
    "src/holdfast/exchange/bundles/unpack.py": ("import tarfile\n", "0013"),
    "src/holdfast/wiring/rooms.py": ("ROOMS = 3\n", "0016"),
}


@pytest.mark.parametrize("path", ADRS, ids=lambda path: path.name)
def test_a_decision_is_kept_as_memory_with_what_was_turned_down(path: Path) -> None:
    source = f"source: docs/adr/{path.name}\n"
    kept = [text for text in _decisions() if source in text]

    assert len(kept) == 1, f"no decision, or more than one, says `{source.strip()}`"
    assert re.search(r"^choice: .+$", kept[0], re.MULTILINE)
    assert re.search(r"^  - option: .+\n    reason: .+$", kept[0], re.MULTILINE)
    assert "\nRationale: " in kept[0]


def test_paths_of_decisions_lead_somewhere() -> None:
    globs = {glob for text in _decisions() for line in re.findall(r"^paths: \[(.+)\]$", text, re.MULTILINE)
             for glob in re.split(r", (?![^{]*\})", line)}  # fmt: skip

    assert [glob for glob in sorted(globs) if not (ROOT / re.split(r"[*{]", glob.strip('"'))[0]).exists()] == []


def test_files_that_memory_names_are_there() -> None:
    named = {name for path in MEMORY.rglob("*.md") for name in re.findall(r"[\w/]+/\w+\.py", path.read_text("utf-8"))}

    assert [name for name in sorted(named) if not any((root / name).exists() for root in (ROOT, SOURCE))] == []


def test_the_check_finds_what_breaks_a_decision(tmp_path: Path) -> None:
    shutil.copytree(MEMORY, tmp_path / ".holdfast" / "memory")
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["apsw"]\n', encoding="utf-8")
    _git(tmp_path, "init", "--quiet")
    _git(tmp_path, "add", "--all")
    _git(tmp_path, "commit", "--quiet", "--message", "as it was")
    for name, (text, _) in BREACHES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["apsw", "typer", "requests"]\n', encoding="utf-8"
    )
    _git(tmp_path, "add", "--all")
    _git(tmp_path, "commit", "--quiet", "--message", "as it must not be")

    assert _holdfast(tmp_path, "allow").returncode == 0
    done = _holdfast(tmp_path, "check", "--diff", "HEAD~1", "--json")

    errors = [found for found in json.loads(done.stdout)["findings"] if found["severity"] == "error"]
    broken = {found["path"]: _adr_of(found["memory"]) for found in errors if found["path"] != "pyproject.toml"}
    assert done.returncode == 1
    assert broken == {name: number for name, (_, number) in BREACHES.items()}
    assert {found["what"] for found in errors if found["path"] == "pyproject.toml"} == {"typer", "requests"}


def test_agents_are_told_what_memory_says(tmp_path: Path) -> None:
    shutil.copytree(MEMORY, tmp_path / ".holdfast" / "memory")
    shutil.copy(MEMORY.parent / "config.toml", tmp_path / ".holdfast")
    shutil.copy(ROOT / "AGENTS.md", tmp_path)

    assert _holdfast(tmp_path, "allow").returncode == 0
    done = _holdfast(tmp_path, "render", "--check")

    assert done.returncode == 0, f"{done.stdout} run: holdfast allow, then holdfast render"
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) < 80


def _decisions() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted((MEMORY / "decisions").glob("*.md"))]


def _adr_of(memory: str) -> str:
    text = next((MEMORY / "decisions").glob(f"{memory}-*")).read_text(encoding="utf-8")
    return text.partition("source: docs/adr/")[2][:4]


def _git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, timeout=60)


def _holdfast(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "from holdfast.cli.main import main; main()", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
