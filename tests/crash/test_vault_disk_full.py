"""A full disk: the write is refused by name, and everything that was there stays."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

WRITER = r"""
import resource, signal, sys
from holdfast.core.value import replace
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.system.folders import DiskFull
from holdfast.vault.file_vault import FileVault

root, limit = sys.argv[1], int(sys.argv[2])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
vault = FileVault(root, Scope.WORKSPACE)
small = Memory(id="DEC-SMALL", type=MemoryType.DECISION, title="Small", body="kept")
large = "x" * 4_000_000
entry = vault.create(small)
refused = 0
for attempt in (
    lambda: vault.create(Memory(id="DEC-LARGE", type=MemoryType.DECISION, title="Large", body=large)),
    lambda: vault.rewrite(entry, replace(small, body=large)),
):
    try:
        attempt()
    except DiskFull as error:
        assert error.hint == "free some space; nothing that was there is lost.", error.hint
        refused += 1
assert refused == 2, refused
again = vault.rewrite(entry, replace(small, title="Smaller"))
[path] = vault.stamps()
assert vault.read(path).entries == (again,)
assert again.memory.body == "kept"
print("whole")
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small disk to be had here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def write(root: Path, limit: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(root), str(limit)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def left(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob("*") if path.is_file())


def test_a_file_that_may_not_grow_is_refused_and_the_rest_stays(tmp_path: Path) -> None:
    assert write(tmp_path / "memory", limit=100_000) == "whole"
    assert left(tmp_path) == [".lock", "DEC-SMALL-small.md"]


def test_a_full_disk_is_refused_and_the_rest_stays(small_disk: Path) -> None:
    assert write(small_disk / "memory", limit=0) == "whole"
    assert left(small_disk) == [".lock", "DEC-SMALL-small.md"]
