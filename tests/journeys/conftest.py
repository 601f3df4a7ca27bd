"""Journeys go through the installed command, in processes of their own."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests import warm
from tests.journeys.moulds import set_up
from tests.waiting import LONG

from holdfast.core.value import Value


class Ran(Value):
    """What a command left: its status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out, f"status {self.status}, and on standard error: {self.err}"
        return json.loads(self.out)


Run = Callable[..., Ran]


def run_in(folder: Path, *words: str, env: Mapping[str, str] | None = None, stdin: str | bytes = "") -> Ran:
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = warm.run(words, folder, {**os.environ, **(env or {})}, given)
    return Ran(status=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def bare(folder: Path) -> Run:
    """The command in a folder that is no workspace."""

    def run(*words: str, **more: Any) -> Ran:
        return run_in(more.pop("at", folder), *words, **more)

    return run


@pytest.fixture
def holdfast(bare: Run, folder: Path) -> Run:
    """The command in a fresh workspace."""
    set_up(folder)
    return bare


@pytest.fixture
def git(folder: Path) -> Callable[..., str]:
    """Git in the test's folder, with a name and without the user's own settings."""

    def run(*words: str, at: Path = folder) -> str:
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.invalid", "-c", "init.defaultBranch=main")
        done = subprocess.run(["git", *who, *words], cwd=at, env=env, capture_output=True, check=True, timeout=LONG)
        return done.stdout.decode()

    return run
