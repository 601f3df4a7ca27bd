"""A laptop that is killed in the midst of a team's sync: the next one goes on, nothing is lost and nothing doubled."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import database, postgres

from holdfast.app import open_memory
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.exchange.team import manage_teams
from holdfast.setup.init_workspace import init, plan_init

ROUNDS = 6
NEW = 25


@pytest.fixture
def url() -> Iterator[str]:
    with postgres() as found, database(found) as opened:
        opened.team("acme", "ada")
        yield found


def at_home(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOLDFAST_HOME", str(home))


def killed_sync(folder: Path, chance: random.Random) -> None:
    command = [sys.executable, "-m", "holdfast.cli.main", "team", "sync"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(chance.uniform(0.3, 1.0))
        process.send_signal(signal.SIGKILL)


def test_a_sync_that_was_killed_again_and_again_loses_nothing(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(7)
    caches: dict[str, Path] = {}
    for name in ("ada", "bob"):
        at_home(monkeypatch, tmp_path / f"{name}-home")
        (tmp_path / name).mkdir()
        init(plan_init(str(tmp_path / name), named=True))
        caches[name] = Path(
            manage_teams.join_team(open_memory(str(tmp_path / name)), url, "acme", name).team.root, "memory"
        )

    for number in range(ROUNDS):
        for name in ("ada", "bob"):
            at_home(monkeypatch, tmp_path / f"{name}-home")
            vault = open_memory(str(tmp_path / name)).vaults[Scope.TEAM]
            for each in range(NEW):
                title = f"{name} {number} {each}"
                vault.create(Memory(id=f"LRN-{name}{number:02}{each:02}", type=MemoryType.LEARNING, title=title))
            killed_sync(tmp_path / name, chance)

    for name in ("ada", "bob", "ada"):
        at_home(monkeypatch, tmp_path / f"{name}-home")
        done = manage_teams.sync_team_memory(open_memory(str(tmp_path / name)))
        assert isinstance(done, manage_teams.SyncReport)
        assert (done.conflicts, done.left) == ((), ())
    held = {
        name: {path.relative_to(root): path.read_bytes() for path in root.rglob("*.md")}
        for name, root in caches.items()
    }
    assert len(held["ada"]) == 2 * ROUNDS * NEW
    assert held["ada"] == held["bob"]
    for name in ("ada", "bob"):
        at_home(monkeypatch, tmp_path / f"{name}-home")
        app = open_memory(str(tmp_path / name))
        assert app.candidates.all() == []
        state = manage_teams.read_team_state(app).pending
        assert state is not None
        assert (state.unsent, state.behind) == (0, 0)
        assert not [each for each in os.listdir(caches[name].parent) if each.endswith(".tmp")]
