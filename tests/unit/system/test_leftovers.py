"""Half-written files of dead writers go; those of living ones stay."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.setup.init_workspace import SystemFolderAsWorkspace, describe_system_folder, plan_init
from holdfast.system.leftovers import sweep_leftovers


def _leave(folder: Path, writer: int, age: float) -> Path:
    path = folder / "memory" / f".holdfast-tmp-{writer}-{age:.0f}"
    path.parent.mkdir(exist_ok=True)
    path.write_text("half of")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_what_dead_writers_left_goes_and_what_living_ones_write_stays(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, fresh = _leave(tmp_path, ended.pid, 30), _leave(tmp_path, ended.pid, 0)
    living, ancient = _leave(tmp_path, os.getpid(), 30), _leave(tmp_path, os.getpid(), 7200)

    assert sweep_leftovers(str(tmp_path)) == 2

    assert [path.exists() for path in (dead, fresh, living, ancient)] == [False, True, True, False]


@pytest.mark.parametrize(
    "folder", ["/", "/etc", "/usr", "/usr/lib", "/tmp", "/home", "/home/ann", "/var", "/opt", "/dev/shm"]
)
def test_no_folder_of_the_machines_becomes_a_workspace(folder: str) -> None:
    if os.path.isdir(folder):
        with pytest.raises(SystemFolderAsWorkspace, match="one workspace") as refused:
            plan_init(folder, named=True)
        assert "holdfast init" in refused.value.hint
    assert describe_system_folder(folder)


def test_the_users_home_is_no_workspace() -> None:
    with pytest.raises(SystemFolderAsWorkspace, match="a home folder"):
        plan_init(os.path.expanduser("~"), named=True)


@pytest.mark.parametrize(
    "folder",
    ["/home/ann/shop", "/srv/shop", "/opt/shop", "/tmp/x/shop", "/workspace", "/usr/local/src/shop", "/dev/shm/shop"],
)
def test_a_projects_folder_does(folder: str) -> None:
    assert describe_system_folder(folder) == ""
