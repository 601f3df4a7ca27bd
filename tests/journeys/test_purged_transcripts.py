"""What was purged stays gone, though the client's own transcript still holds it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.test_distil import Talk

SESSION = "aaaa1111-0000-4000-8000-000000000001"
SECRET, PLAIN = "We use zebrafish, not tenacity, for back-off.", "Let's keep the config in TOML files, not YAML."


@pytest.fixture
def transcript(folder: Path, home: Path) -> Path:
    path = home.parent / "user/.claude/projects" / str(folder).replace("/", "-").replace(".", "-").replace("_", "-")
    path.mkdir(parents=True)
    lines = []
    for number, text in enumerate((SECRET, PLAIN), 1):
        base = {"isSidechain": False, "cwd": str(folder), "sessionId": SESSION, "version": "2.1.0"}
        at = f"2026-11-01T10:0{number}"
        said = {"role": "user", "content": text}
        lines.append({**base, "type": "user", "message": said, "uuid": f"u{number}", "timestamp": f"{at}:00.000Z"})
    (path / f"{SESSION}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _holding(folder: Path) -> list[str]:
    return [path.name for path in (folder / ".holdfast").rglob("*") if path.is_file() and b"zebra" in path.read_bytes()]


def test_a_harvest_does_not_bring_back_what_was_purged(holdfast: Any, folder: Path, transcript: Path) -> None:
    assert holdfast("harvest").status == 0
    assert _holding(folder)
    assert holdfast("forget", "--text", "zebrafish", "--purge", "--yes").status == 0
    shutil.rmtree(folder / ".holdfast/state")

    again = holdfast("harvest")

    assert (again.status, _holding(folder)) == (0, [])
    assert holdfast("distil", "--json").status == 0
    assert [each["title"] for each in holdfast("list", "--candidates", "--json").json["candidates"]] == [
        "Keep the config in TOML files, not YAML"
    ]
    assert transcript.is_dir()


def test_nor_what_a_hook_had_told_before(holdfast: Any, folder: Path, transcript: Path) -> None:
    talk = Talk(holdfast, folder, SESSION)
    talk.prompt(SECRET)
    talk.end()
    assert holdfast("forget", "--text", "zebrafish", "--purge", "--yes").status == 0

    assert holdfast("harvest").status == 0
    assert _holding(folder) == []
    assert transcript.is_dir()
