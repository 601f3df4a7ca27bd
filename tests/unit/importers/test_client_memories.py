"""What clients remember by themselves becomes candidates: each thing once, with its source."""

import os
import time
from pathlib import Path

import pytest
from tests.unit.tui.workspace import workspace

from holdfast.clients.client_traces import make_project_slug
from holdfast.core.memory import SaidBy, Status
from holdfast.importers.client_memories import MOST_AT_ONCE, take_client_memories
from holdfast.review.accept import accept, reject
from holdfast.review.queue import list_waiting
from holdfast.workspace import App

TOPIC = """\
---
name: {name}
description: {title}
metadata:
  type: feedback
---
{title}, because it was slow.
**Why:** the user said so.
"""


@pytest.fixture
def app(tmp_path: Path) -> App:
    shop = tmp_path / "shop"
    shop.mkdir()
    return workspace(shop)


@pytest.fixture
def folder(app: App) -> Path:
    path = Path(os.environ["HOME"]) / ".claude/projects" / make_project_slug(app.workspace) / "memory"
    path.mkdir(parents=True)
    return path


def write(folder: Path, name: str, title: str) -> None:
    path = folder / f"{name}.md"
    path.write_text(TOPIC.format(name=name, title=title))
    old = time.time() - 60
    os.utime(path, (old, old))


def test_a_clients_memory_is_a_candidate_with_its_source(app: App, folder: Path) -> None:
    write(folder, "use-pnpm", "Use pnpm and never npm in this project")
    (folder / "MEMORY.md").write_text("- [Use pnpm](use-pnpm.md) - it is faster\n")

    [made] = take_client_memories(app)

    assert made.memory.status is Status.CANDIDATE
    assert made.memory.said_by is SaidBy.AGENT
    assert made.memory.source.startswith("import claude-memory ~/.claude/projects/")
    assert take_client_memories(app) == []
    assert len(list_waiting(app)) == 1


def test_what_was_decided_does_not_come_back(app: App, folder: Path) -> None:
    write(folder, "use-pnpm", "Use pnpm and never npm in this project")
    write(folder, "small-commits", "Commits change one thing each")
    taken = [entry.memory.id for entry in take_client_memories(app)]
    accept(app, taken[:1])
    reject(app, taken[1:], "no")
    (Path(app.folder) / "state/client-memories.json").unlink(missing_ok=True)

    assert take_client_memories(app) == []


def test_what_a_person_removed_for_good_does_not_come_back(app: App, folder: Path) -> None:
    write(folder, "use-pnpm", "Use pnpm and never npm in this project")
    [made] = take_client_memories(app)
    (Path(app.folder) / "candidates" / made.path.rpartition("/")[2]).unlink()
    (Path(app.folder) / "state/client-memories.json").unlink(missing_ok=True)
    app.refresh()

    assert take_client_memories(app) == []


def test_no_more_come_at_once_than_a_person_reviews(app: App, folder: Path) -> None:
    for number in range(MOST_AT_ONCE + 5):
        write(folder, f"rule-{number}", f"Module{number} keeps its own clock and calendar{number}")

    first, second = take_client_memories(app), take_client_memories(app)

    assert (len(first), len(second)) == (MOST_AT_ONCE, 5)


def test_it_is_off_in_one_word(app: App, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HARVEST_CLIENT_MEMORIES", "false")
    write(folder, "use-pnpm", "Use pnpm and never npm in this project")

    assert take_client_memories(app) == []


def test_a_secret_in_it_does_not_reach_the_disk(app: App, folder: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    write(folder, "token", f"Deploys use the token {token[:40]} of the bot")

    take_client_memories(app)

    assert token[:40] not in "".join(path.read_text() for path in (Path(app.folder) / "candidates").glob("*.md"))
