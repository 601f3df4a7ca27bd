"""`export` and `import` as people run them: pipes, locks, a full disk, and archives that somebody bent."""

import io
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from string import ascii_lowercase

import pytest
from tests.bundle_made import (
    KEY,
    head_member,
    made,
    manifest_member,
    member,
    memory_text,
    packed,
    raw_tar,
    resummed,
    seal_member,
)
from tests.journeys.conftest import Ran, run_in
from tests.waiting import LONG

from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.bundle_values import Head
from holdfast.exchange.bundle_format.compression import BundleRecipients
from holdfast.exchange.bundle_format.write_bundle import open_bundle_writer

HOSTILE = "\x1b[31mRED\x1b]0;title\x07\u202e"
FILE, ALIKE = "workspace/memory/decisions/DEC-A.md", "workspace/memory/decisions/dec-a.md"
CODED = f"workspace/memory/{HOSTILE}.md"
TEXT = memory_text("DEC-A", "Use Textual")
COMMAND = (sys.executable, "-m", "holdfast.cli.main")
Bend = Callable[[], bytes]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace with a memory, a record and a file that is large when packed."""
    folder = tmp_path / "shop"
    folder.mkdir()
    assert run_in(folder, "init", "--yes", "--client", "none").status == 0
    assert run_in(folder, "remember", "decision", "Use Postgres").status == 0
    return folder


def row(path: str = FILE, data: bytes = TEXT, **more: object) -> dict[str, object]:
    return {"path": path, "kind": "memory", "size": len(data), "sha256": sha256(data).hexdigest(), **more}


def whole(*files: tuple[bytes, bytes], rows: list[dict[str, object]] | None = None, **more: object) -> bytes:
    told = manifest_member([row()] if rows is None else rows, **more)
    return packed(raw_tar([head_member(), *files, told, seal_member()]))


def a_link() -> bytes:
    header, data = member(FILE, TEXT)
    return whole((resummed(header[:156] + b"2" + header[157:]), data))


def a_device() -> bytes:
    header, data = member(FILE, TEXT)
    return whole((resummed(header[:156] + b"3" + header[157:]), data))


BENT: dict[str, tuple[Bend, int]] = {
    "traversal": (lambda: whole(member("long/0", TEXT), rows=[row("workspace/memory/../../x.md", name="long/0")]), 2),
    "link": (a_link, 2),
    "device": (a_device, 2),
    "bomb by ratio": (lambda: made({"work/x.md": bytes(100_000_000)}), 2),
    "bomb by count": (lambda: made({f"work/{number}.md": b"x" for number in range(40)}), 2),
    "bad sum": (lambda: whole(member(FILE, TEXT[:-1] + b"!")), 5),
    "cut short": (lambda: made({"memory/x.md": TEXT})[:-40], 5),
    "later version": (lambda: packed(raw_tar([head_member(9), member(FILE, TEXT)])), 2),
    "one name twice": (lambda: whole(member(FILE, TEXT), member(FILE, TEXT)), 2),
    "names alike": (lambda: whole(member(FILE, TEXT), member(ALIKE, TEXT), rows=[row(), row(ALIKE)]), 2),
    "escape codes": (lambda: whole(member("long/0", TEXT), rows=[row(CODED, name="long/0")]), 2),
    "wrong numbers": (lambda: whole(member(FILE, TEXT), counts={"memory": 7}), 5),
    "a list of foreign parts": (lambda: b'{"format":"holdfast-parts","version":1,"parts":[["../x",1,"00"]]}', 5),
}  # fmt: skip


def everything(folder: Path) -> dict[str, bytes]:
    """All that memory is made of."""
    roots = [folder / ".holdfast" / name for name in ("memory", "candidates", "log", "work", "journal", "learning")]
    found = [path for root in roots for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.name not in {"lock", ".lock"}}


@pytest.mark.parametrize("name", BENT)
def test_a_bent_archive_is_refused_and_nothing_of_it_stays(shop: Path, tmp_path: Path, name: str) -> None:
    bend, status = BENT[name]
    store = tmp_path / "store"
    store.mkdir()
    (store / "x.holdfast.tar.zst").write_bytes(bend())
    before = everything(shop)

    done = run_in(
        shop, "import", f"file://{store}/x.holdfast.tar.zst", "--yes", "--mine", "--set", "share.most_files=20"
    )

    assert (done.status, done.out) == (status, "")
    assert done.err.startswith("error: The bundle ")
    assert "\nhint: " in done.err
    assert not set("\x1b\x07\u202e") & set(done.err)
    assert everything(shop) == before
    assert [path.name for path in (shop / ".holdfast" / "state").glob("imports/*")] in ([], ["lock"])
    assert sorted(os.listdir(tmp_path)) == ["shop", "store"]


def test_no_escape_code_of_a_bundle_reaches_the_terminal(shop: Path, tmp_path: Path) -> None:
    out = io.BytesIO()
    head = Head(
        id=f"X{HOSTILE}", created=f"2026{HOSTILE}", workspace={"name": f"w{HOSTILE}", "id": HOSTILE},
        scopes=(HOSTILE,), contains=(HOSTILE,),
    )  # fmt: skip
    with open_bundle_writer(out, head, BundleRecipients()) as writer:
        for path, data in (("memory/x.md", memory_text("DEC-A", f"T{HOSTILE}")), ("memory/y.md", HOSTILE.encode())):
            writer.add(f"workspace/{path}", bundle_paths.kind_of(path), io.BytesIO(data), len(data))
        writer.leave(HOSTILE, HOSTILE)
        writer.redaction[HOSTILE] = 1
        writer.finish(KEY)
    (tmp_path / "x.tar.zst").write_bytes(out.getvalue())
    source = ["import", str(tmp_path / "x.tar.zst")]

    told = [
        run_in(shop, *source, "--dry-run"), run_in(shop, *source, "--dry-run", "--json", "--all"),
        run_in(shop, *source, "--yes"), run_in(shop, *source, "--yes", "--mine", "--all"), run_in(shop, "log"),
        run_in(shop, "list", "--candidates"), run_in(shop, "list"),
    ]  # fmt: skip

    assert [each.status for each in told[:4]] == [0] * 4
    for each in told:
        assert not set("\x1b\x07\u202e") & set(each.out + each.err)


def test_a_pipe_carries_memory_to_another_folder(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    run_in(other, "init", "--yes", "--client", "none")
    with subprocess.Popen([*COMMAND, "export", "-"], cwd=shop, stdout=subprocess.PIPE) as sending:
        brought = subprocess.run(
            [*COMMAND, "import", "-", "--yes", "--json"],
            cwd=other,
            stdin=sending.stdout,
            capture_output=True,
            timeout=LONG,
        )

    assert (sending.returncode, brought.returncode) == (0, 0), brought.stderr
    assert [each["title"] for each in run_in(other, "list", "--json").json["memories"]] == ["Use Postgres"]


LOCKS = {"plain": [], "locked": ["--passphrase-file", "env:PASSPHRASE"]}


@pytest.fixture(params=LOCKS)
def locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("PASSPHRASE", "correct horse battery")
    return LOCKS[request.param]


def make_large(folder: Path) -> None:
    (folder / ".holdfast" / "work").mkdir(exist_ok=True)
    chance = random.Random(1)
    words = ("".join(chance.choices(ascii_lowercase, k=7)) for _ in range(120_000))
    (folder / ".holdfast" / "work" / "x.md").write_text(" ".join(words))


def test_a_reader_that_goes_away_is_told(shop: Path, locks: list[str]) -> None:
    make_large(shop)
    with subprocess.Popen(
        [*COMMAND, "export", "-", *locks], cwd=shop, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as sending:
        assert sending.stdout
        assert sending.stderr
        sending.stdout.close()
        told = sending.stderr.read().decode()

    assert sending.returncode == 6
    assert "error: The bundle was not taken to its end." in told
    assert "Traceback" not in told


def full(folder: Path, *words: str) -> Ran:
    """A command on a disk that takes only small files."""

    def narrow() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))

    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, timeout=LONG, preexec_fn=narrow, text=True
    )
    return Ran(status=done.returncode, out=done.stdout, err=done.stderr)


def test_a_disk_that_is_full_is_told(shop: Path, tmp_path: Path, locks: list[str]) -> None:
    make_large(shop)

    done = full(shop, "export", str(tmp_path / "x.tar.zst"), *locks)

    assert done.status == 6
    assert "could not be written: File too large" in done.err
    assert sorted(os.listdir(tmp_path)) == ["shop"]


def test_a_bundle_of_a_workspace_is_not_taken_outside_of_any(shop: Path, tmp_path: Path) -> None:
    file, outside = tmp_path / "shop.tar.zst", tmp_path / "outside"
    assert run_in(shop, "export", str(file)).status == 0
    outside.mkdir()

    done = run_in(outside, "import", str(file), "--yes")

    assert done.status == 3
    assert "belongs to a workspace" in done.err
    assert "`holdfast init`" in done.err
    assert "Nothing new" not in done.out


def test_after_a_restore_the_backup_is_the_last_one(shop: Path, tmp_path: Path) -> None:
    env = {"HOLDFAST_BACKUP_STORE": str(tmp_path / "store")}
    assert run_in(shop, "backup", "now", env=env).status == 0
    shutil.rmtree(shop / ".holdfast")
    assert run_in(shop, "init", "--yes", "--client", "none").status == 0
    assert "There is no backup yet" in run_in(shop, "status", env=env).out

    assert run_in(shop, "backup", "restore", "latest", "--yes", env=env).status == 0

    assert "There is no backup yet" not in run_in(shop, "status", env=env).out
    told = run_in(shop, "backup", "status", "--json", env=env).json
    [kept] = run_in(shop, "backup", "list", "--json", env=env).json["backups"]
    assert told["name"] == kept["name"]
    assert told["warning"] is None
