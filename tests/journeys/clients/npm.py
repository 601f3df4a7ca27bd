"""The real clients, from npm: each pinned, installed once for all tests of this machine."""

import fcntl
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

# As it was when the tests began: every test has a home of its own later.
_ENVIRONMENT = dict(os.environ)
_CACHE = Path(_ENVIRONMENT.get("XDG_CACHE_HOME") or Path(_ENVIRONMENT.get("HOME", "/tmp"), ".cache"))
CACHE = _CACHE / "holdfast-tests" / "clients"
LONGEST_INSTALL = 300


def installed(package: str, version: str, program: str) -> Path:
    """The client's program. Skips the test where it cannot be had."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        pytest.skip("npm and node are needed to run real clients")
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / f"{program}@{version}"
    found = folder / "node_modules" / ".bin" / program
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        failed = Path(f"{folder}.failed")
        if not (folder / "installed").exists() and not _is_recent(failed):
            _install(npm, folder, f"{package}@{version}", found, failed)
        if not (folder / "installed").exists():
            pytest.skip(f"{package}@{version} cannot be installed: {failed.read_text()}")
    return found


def _is_recent(file: Path) -> bool:
    """Whether a failure was just now: the other tests need not try again, the next run of them does."""
    return file.exists() and time.time() - file.stat().st_mtime < LONGEST_INSTALL


def _install(npm: str, folder: Path, package: str, program: Path, failed: Path) -> None:
    """Install a package, or note why not."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), package]
    try:
        done = subprocess.run(command, env=_ENVIRONMENT, capture_output=True, text=True, timeout=LONGEST_INSTALL)
        trouble = done.stderr.strip()[-500:] if done.returncode else ""
    except subprocess.TimeoutExpired:
        trouble = f"npm took more than {LONGEST_INSTALL} s"
    if trouble or not program.exists():
        failed.write_text(trouble or f"it has no {program.name}")
    else:
        (folder / "installed").touch()
