"""Bootstrap: patterns read off a code base, proposed once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FUNCTION = 'def load_item_{n}(first_value: int) -> str:\n    """Load it."""\n    return "x"\n\n\n'
CAMEL = 'def loadItem{n}(first_value: int) -> str:\n    """Load it."""\n    return "x"\n\n\n'
TRAP = "raise SystemExit('the project was run')\n"


def code(folder: Path, text: str = FUNCTION, below: str = "src") -> None:
    (folder / below).mkdir(parents=True, exist_ok=True)
    for file in range(6):
        body = "".join(text.format(n=f"{file}{n}") for n in range(6))
        (folder / below / f"mod_{file}.py").write_text(f'import os\n\n\n{body}if os.environ.get("NEVER"):\n    {TRAP}')


def profiles(holdfast: Any, *words: str) -> set[str]:
    found = holdfast("list", "--candidates", *words, "--json").json["candidates"]
    return {str(each["extra"]["profile"]) for each in found}


def test_patterns_become_candidates_with_places_and_a_second_run_adds_none(holdfast: Any, folder: Path) -> None:
    code(folder)

    first = holdfast("distil", "--code", "--json")
    second = holdfast("distil", "--code", "--json").json

    assert first.status == 0
    assert first.json["files"] == {"python": 6}
    assert "python.functions=snake_case" in profiles(holdfast)
    [functions] = [each for each in first.json["proposed"] if "snake_case" in each["title"]]
    shown = holdfast("show", functions["id"], "--json").json["memories"][0]
    assert (shown["type"], shown["said_by"], shown["source"], shown["category"]) == (
        "pattern", "tool", "bootstrap", "naming",
    )  # fmt: skip
    assert shown["paths"] == ["src/**/*.py"]
    assert [cite["path"] for cite in shown["cites"]] == ["src/mod_0.py", "src/mod_1.py", "src/mod_2.py"]
    assert all(len(cite["sha256"]) == 64 and cite["lines"] == "4" for cite in shown["cites"])
    assert "36 of 36 functions, in 6 files" in shown["body"]
    assert (second["proposed"], second["updated"]) == ([], [])
    assert len(second["known"]) == len(first.json["proposed"])


def test_a_dry_run_writes_nothing(holdfast: Any, folder: Path) -> None:
    code(folder)

    done = holdfast("distil", "--code", "--dry-run")

    assert "Would propose" in done.out
    assert holdfast("list", "--candidates", "--json").json["candidates"] == []


def test_a_changed_profile_updates_what_waits_and_supersedes_what_was_accepted(holdfast: Any, folder: Path) -> None:
    code(folder)
    holdfast("distil", "--code")
    code(folder, CAMEL)

    changed = holdfast("distil", "--code", "--json").json

    [waiting] = changed["updated"]
    assert "camelCase" in waiting["title"]
    assert "python.functions=camelCase" in profiles(holdfast)
    accepted = holdfast("accept", waiting["id"], "--json").json["accepted"][0]["memory"]
    code(folder)
    [update] = holdfast("distil", "--code", "--json").json["updated"]
    assert update["supersedes"] == accepted
    assert holdfast("accept", update["id"]).status == 0
    assert holdfast("show", accepted, "--json").json["memories"][0]["superseded_by"]
    assert holdfast("distil", "--code", "--json").json["updated"] == []


def test_rejected_and_forgotten_patterns_do_not_come_back(holdfast: Any, folder: Path) -> None:
    code(folder)
    proposed = {each["title"]: each["id"] for each in holdfast("distil", "--code", "--json").json["proposed"]}
    snake = next(name for title, name in proposed.items() if "snake_case" in title)
    typed = next(name for title, name in proposed.items() if "Annotate" in title)
    holdfast("reject", snake, "--because", "no")
    holdfast("forget", typed, "--yes")

    again = holdfast("distil", "--code", "--json").json

    assert again["proposed"] == []
    assert {"python.functions", "python.typing"} <= set(again["known"])


def test_what_a_person_said_already_is_not_proposed(holdfast: Any, folder: Path) -> None:
    code(folder)
    holdfast("remember", "pattern", "Name functions in snake_case")

    assert "python.functions" in holdfast("distil", "--code", "--json").json["known"]


def test_git_decides_what_is_read_and_its_log_tells_too(holdfast: Any, folder: Path, git: Callable[..., str]) -> None:
    code(folder)
    code(folder, CAMEL, "ignored")
    code(folder, CAMEL, "node_modules/x")
    (folder / ".gitignore").write_text("ignored/\n")
    git("init", "-q")
    git("add", ".")
    for n in range(25):
        git("commit", "-q", "--allow-empty", "-m", f"feat: add part {n}")

    found = holdfast("distil", "--code", "--json").json

    assert found["files"] == {"python": 6}
    assert {"python.functions=snake_case", "commits.style=conventional"} <= profiles(holdfast)


def test_settings_are_cited_instead_of_counts(holdfast: Any, folder: Path) -> None:
    code(folder)
    (folder / "pyproject.toml").write_text("[tool.black]\nline-length = 90\n")

    keys = {each.partition("=")[0] for each in profiles_after(holdfast)}

    assert "tool.black" in keys
    assert not {"python.quotes", "python.line-length", "python.indent"} & keys


def profiles_after(holdfast: Any) -> set[str]:
    assert holdfast("distil", "--code").status == 0
    return profiles(holdfast)


def test_one_folder_alone_and_folders_that_cannot_be(holdfast: Any, folder: Path, tmp_path: Path) -> None:
    code(folder)
    code(folder, CAMEL, "web")

    assert holdfast("distil", "--code", "web", "--json").json["files"] == {"python": 6}
    [camel] = [
        each for each in holdfast("list", "--candidates", "--json").json["candidates"] if "camelCase" in each["title"]
    ]
    assert camel["paths"] == ["web/**/*.py"]
    assert holdfast("distil", "--code", "nowhere").status == 3
    assert holdfast("distil", "--code", str(tmp_path)).status == 2
    assert holdfast("distil", "--code", "--what").status == 2


def test_an_empty_project_and_odd_files_are_no_trouble(holdfast: Any, bare: Any, folder: Path) -> None:
    empty = holdfast("distil", "--code")
    assert (empty.status, "no Python" in empty.out) == (0, True)
    (folder / "a.py").write_bytes(b"\xff\xfe\x00bad")
    (folder / "b.py").write_text("def (")
    (folder / "c.py").symlink_to("/etc/hostname")
    (folder / "d.py").mkdir()
    (folder / "e.ts").write_text("`${" * 1000)

    done = holdfast("distil", "--code", "--json")

    assert (done.status, done.json["proposed"]) == (0, [])


@pytest.mark.parametrize("secret", ["ghp_" + "a1B2" * 9])
def test_no_secret_of_the_code_reaches_a_candidate(
    holdfast: Any, folder: Path, git: Callable[..., str], secret: str
) -> None:
    git("init", "-q")
    for n in range(25):
        git("commit", "-q", "--allow-empty", "-m", f"fix: use {secret} {n}")

    holdfast("distil", "--code")

    assert "commits.style=conventional" in profiles(holdfast)
    assert not any(secret in path.read_text() for path in (folder / ".holdfast/candidates").glob("*.md"))
