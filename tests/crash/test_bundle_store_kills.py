"""Exports to a store and imports from one under SIGKILL: real commands, a real S3 server, all or nothing."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase

import pytest
from tests.s3_server import S3Server

from holdfast.app import build_app
from holdfast.core.event import Event
from holdfast.core.search import Select
from holdfast.exchange.bundle_format.bundle_parts import download, parts_prefix
from holdfast.exchange.bundles.apply_import import finish_imports
from holdfast.exchange.bundles.export_import import BundleKeys, open_import
from holdfast.exchange.object_store import Objects
from holdfast.exchange.open_store import open_store
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init

PATIENCE = 120
NAME = "x.holdfast.tar.zst"
PARTS = ("--set", "share.part_mb=1")
WHOLE = (6, 6, 3)
NOTHING = (0, 0, 0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    found = S3Server(tmp_path_factory.mktemp("s3"))
    found.start()
    yield found
    found.stop()


@pytest.fixture(params=["folder", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a store, for commands and for looking into it."""
    if request.param == "folder":
        return f"file://{tmp_path / 'store'}"
    for name, value in request.getfixturevalue("server").env.items():
        monkeypatch.setenv(name, value)
    # This server makes a bucket when the first object comes.
    open_store("s3://bucket/first").put("x", b"")
    return f"s3://bucket/{os.urandom(4).hex()}"


def workspace(folder: Path) -> Path:
    folder.mkdir()
    init(plan_init(str(folder), named=True))
    return folder


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A workspace whose bundle is of several parts."""
    folder = workspace(tmp_path / "one")
    app = build_app(str(folder))
    for number in range(6):
        remember(app, MemoryDraft(type="learning", text=f"fact {number}"))
        app.journal.append([Event(client="test", name="prompt", session="s", data={"prompt": f"words {number}"})])
    work = Path(app.folder, "work", "w")
    work.mkdir(parents=True)
    chance = random.Random(1)
    for number in range(3):
        words = ("".join(chance.choices(ascii_lowercase, k=7)) for _ in range(150_000))
        (work / f"{number}.md").write_text(" ".join(words))
    return folder


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "holdfast.cli.main", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def ran(folder: Path, *words: str) -> float:
    """Run a command to its end; how long it took."""
    begun = time.monotonic()
    process = start(folder, *words)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, told.decode()
    return time.monotonic() - begun


def kill(process: subprocess.Popen[bytes]) -> bool:
    """Kill it; whether it still ran."""
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    return process.returncode == -signal.SIGKILL


def state(folder: Path) -> tuple[int, int, int]:
    app = build_app(str(folder))
    finish_imports(app)
    entries = app.index.select(Select())
    events = [record for record in app.journal.read() if record.data.get("name") == "prompt"]
    work = Path(app.folder, "work", "w")
    return len(entries), len(events), len(os.listdir(work)) if work.is_dir() else 0


def brought(store: Objects, folder: Path) -> tuple[int, int, int]:
    """What a bundle of a store gives to a new workspace."""
    data = download(store, NAME)
    assert data is not None
    app = build_app(str(workspace(folder)))
    with open_import(app, data, BundleKeys()) as bundle:
        bundle.go()
    return state(folder)


def cut_short(folder: Path, store: Objects, *words: str) -> set[str]:
    """Kill an upload when some of its parts are there and it is not; their names."""
    while True:
        process = start(folder, *words)
        while not store.list(parts_prefix(NAME)) and process.poll() is None:
            time.sleep(0.002)
        # Its list stands last: killed before that, the bundle is not there.
        if kill(process) and download(store, NAME) is None:
            return {row.name for row in store.list(parts_prefix(NAME))}
        store.delete([row.name for row in store.list("")])


@pytest.mark.parametrize("how", [("--text", "words 3", "--purge"), ("--project",)], ids=["purge", "project"])
def test_parts_of_an_upload_that_was_killed_go_with_what_is_forgotten(
    one: Path, url: str, how: tuple[str, ...]
) -> None:
    store = open_store(url)
    parts = cut_short(one, store, "export", f"{url}/{NAME}", "--conversations", *PARTS)

    done = subprocess.run(
        [sys.executable, "-m", "holdfast.cli.main", "forget", *how, "--yes", "--json"],
        cwd=one, capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    count = told["parts"] if how == ("--project",) else sum(each["parts"] for each in told["bundles"]["parts"])
    # One more may have been on its way when the process was killed.
    assert count >= len(parts) > 0
    assert store.list("") == []


def test_an_upload_that_was_killed_goes_on_with_the_parts_that_are_there(one: Path, url: str, tmp_path: Path) -> None:
    store = open_store(url)
    words = ("export", f"{url}/{NAME}", "--conversations", *PARTS)
    known = cut_short(one, store, *words)

    ran(one, *words)

    assert known <= {row.name for row in store.list(parts_prefix(NAME))}
    assert len(store.list(parts_prefix(NAME))) > 1
    assert brought(store, tmp_path / "other") == WHOLE


def test_a_server_that_goes_away_in_the_middle_is_told_and_the_next_command_completes(
    one: Path, server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in server.env.items():
        monkeypatch.setenv(name, value)
    open_store("s3://bucket/first").put("x", b"")
    url = f"s3://bucket/{os.urandom(4).hex()}"
    store, words = open_store(url), ("export", f"{url}/{NAME}", "--conversations", *PARTS)
    cut = False
    while not cut:
        process = start(one, *words)
        while not store.list(parts_prefix(NAME)) and process.poll() is None:
            time.sleep(0.002)
        server.stop()
        _, told = process.communicate(timeout=PATIENCE)
        server.start()
        # It may have been through already.
        cut = process.returncode != 0
        if not cut:
            store.delete([row.name for row in store.list("")])

    assert process.returncode == 6, told.decode()
    assert b"does not answer" in told
    assert download(store, NAME) is None
    ran(one, *words)
    assert brought(store, tmp_path / "other") == WHOLE


@pytest.mark.parametrize("rounds", [3, pytest.param(25, marks=pytest.mark.heavy)])
def test_a_killed_command_leaves_all_or_nothing_and_the_next_completes(
    one: Path, url: str, tmp_path: Path, rounds: int
) -> None:
    chance, kills = random.Random(rounds), 0
    store = open_store(url)
    out = ("export", f"{url}/{NAME}", "--conversations", *PARTS)
    longest = ran(one, *out)
    for number in range(rounds):
        store.delete([row.name for row in store.list("")])
        process = start(one, *out)
        time.sleep(chance.uniform(0, longest))
        kills += kill(process)
        if download(store, NAME) is None:
            ran(one, *out)
        assert brought(store, tmp_path / f"e{number}") == WHOLE
    back = ("import", f"{url}/{NAME}", "--yes")
    longest = ran(workspace(tmp_path / "i"), *back)
    for number in range(rounds):
        folder = workspace(tmp_path / f"i{number}")
        process = start(folder, *back)
        time.sleep(chance.uniform(0, longest))
        kills += kill(process)
        assert state(folder) in {WHOLE, NOTHING}
        ran(folder, *back)
        assert state(folder) == WHOLE
    assert kills > 0
