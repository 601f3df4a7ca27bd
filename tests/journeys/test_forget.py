"""What is kept about a person or a project, taken away everywhere: searched for afterwards as raw bytes."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from tests.databases import database, postgres
from tests.journeys.conftest import Ran, run_in
from tests.s3_server import S3Server

from holdfast.exchange.bundle_format import tar_stream
from holdfast.exchange.bundle_format.bundle_values import BundleLimits
from holdfast.exchange.bundle_format.compression import BundleKeys, open_unpacker
from holdfast.exchange.open_store import open_store

JANE = b"jane"
SUBJECT = "Jane Doe"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres() as url, database(url):
        yield url


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    found = S3Server(tmp_path_factory.mktemp("s3"))
    found.start()
    yield found
    found.stop()


class World:
    """A person's machine: a home, a project, a folder for exports; a team's database and a store elsewhere."""

    def __init__(self, root: Path, env: dict[str, str]) -> None:
        self.root, self.home, self.shop = root, root / "home", root / "shop"
        self.shop.mkdir(parents=True)
        self.home.mkdir()
        self.env = {"HOLDFAST_HOME": str(self.home), **env}
        assert self("init", "--yes", "--client", "none").status == 0

    def __call__(self, *words: str, at: Path | None = None, env: dict[str, str] | None = None) -> Ran:
        return run_in(at or self.shop, *words, env={**self.env, **(env or {})})

    def plant(self) -> None:
        """The person in memory, candidates, the user's own memory, the journal, the log, records and side files."""
        self("remember", "decision", "Tabs, since Jane Doe asked for them", "--title", "Tabs for Jane Doe")
        self("remember", "decision", "Two cores for the build")
        self("propose", "learning", "jane_doe reviews on Fridays")
        self("remember", "learning", "Jane Doe lives in Rome", "--scope", "user")
        self("todo", "add", "call jane-doe back")
        self("log", "--rate", "3", "JANE DOE was not amused")
        self("todo", "add", "paint the fence")

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Every byte on this machine, bundles unpacked."""
        for path in self.root.rglob("*"):
            if path.is_file():
                yield str(path), path.read_bytes()
                if ".tar.zst" in path.name:
                    yield from unpacked(str(path), path.read_bytes())


def unpacked(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    with open_unpacker(io.BytesIO(data), BundleKeys(), BundleLimits()) as inner:
        for member, pieces in tar_stream.read_members(inner):
            yield f"{name}:{member.name}", b"".join(pieces)


def rows(url: str, project: str) -> Iterator[tuple[str, bytes]]:
    """Every value of a project's rows, as a superuser reads them."""
    with psycopg.connect(url) as connection:
        space = connection.execute("SELECT id FROM holdfast.space WHERE name = %s", (project,)).fetchone()
        if space is None:
            return
        asked = "SELECT table_name FROM information_schema.columns WHERE table_schema = %s AND column_name = 'space'"
        for (table,) in connection.execute(asked, ("holdfast",)).fetchall():
            chosen = sql.SQL("SELECT * FROM holdfast.{} WHERE space = %s").format(sql.Identifier(table))
            for row in connection.execute(chosen, space):
                for value in row:
                    yield table, value if isinstance(value, bytes) else str(value).encode()


def holding(found: Iterator[tuple[str, bytes]]) -> list[str]:
    return [name for name, data in found if JANE in data.lower()]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, {})


def test_a_person_goes_from_files_two_stores_of_bundles_and_the_database(
    tmp_path: Path, address: str, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in s3.env.items():
        monkeypatch.setenv(name, value)
    project = f"shop-{os.urandom(4).hex()}"
    where = {"HOLDFAST_DATABASE_URL": address, "HOLDFAST_DATABASE_PROJECT": project, "HOLDFAST_DATABASE_PERSON": "ada"}
    world = World(tmp_path, where)
    world.plant()
    url = f"s3://bucket/{os.urandom(4).hex()}"
    world("config", "backup.store", url)
    assert world("backup", "now").status == 0
    assert world("export", str(tmp_path / "out.tar.zst"), "--conversations").status == 0
    assert world("sync", "database", "--candidates", "--events").status == 0
    assert holding(rows(address, project))
    before = {name for name, _ in world.files() if name.endswith(".md")}
    assert holding(world.files())

    done = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--because", "Jane Doe asked", "--json")

    assert done.status == 0, done.err
    told = done.json
    assert told["proof"]["found"] == []
    assert told["database"]["rows"] > 0
    assert told["database"]["found"] == {}
    assert len(told["bundles"]["removed"]) == 2
    assert any("WAL" in each for each in told["unreachable"])
    assert holding(world.files()) == []
    assert holding(rows(address, project)) == []
    store = open_store(url)
    left = [row.name for row in store.list("") if ".tar.zst" in row.name]
    assert len(left) == len(told["bundles"]["renewed"]) == 1
    held = store.get(left[0])
    assert held is not None
    assert [name for name, data in unpacked("s3", held[0]) if JANE in data.lower()] == []
    assert b"Two cores" in b"".join(data for _, data in unpacked("s3", held[0]))
    assert not (tmp_path / "out.tar.zst").exists()
    # What others know stays.
    assert [each["title"] for each in world("list", "--json").json["memories"]] == ["Two cores for the build"]
    assert len(before) > 1
    assert world("doctor", "--verify").status == 0
    # And nothing of it comes back.
    again = world("sync", "database", "--candidates", "--events", "--json")
    assert (again.json["pulled"], again.json["pushed"]) == ([], [])
    assert holding(world.files()) == holding(rows(address, project)) == []
    assert world("forget", "--subject", SUBJECT, "--purge", "--yes").status == 1


def test_bundles_are_kept_where_that_is_asked_for_and_the_proof_says_so(world: World) -> None:
    world.plant()
    kept = world.root / "out.tar.zst"
    world("export", str(kept))

    done = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--keep-bundles", "--json")

    assert done.status == 0
    assert kept.exists()
    assert [(each["place"], each["stands"]) for each in done.json["bundles"]["left"]] == [(str(kept), "holds")]


def test_a_bundle_that_was_moved_is_named(world: World) -> None:
    world.plant()
    world("export", str(world.root / "out.tar.zst"))
    (world.root / "out.tar.zst").rename(world.root / "elsewhere")

    done = world("forget", "--subject", SUBJECT, "--purge", "--yes")

    assert done.status == 0
    assert "moved, or removed" in done.out


def test_a_closed_bundle_needs_its_key_and_then_goes(world: World) -> None:
    world.plant()
    words = world.root / "words"
    words.write_text("correct horse battery staple\n")
    closed = world.root / "out.tar.zst.locked"
    assert world("export", str(closed), "--passphrase-file", str(words)).status == 0

    refused = world("forget", "--subject", SUBJECT, "--purge", "--yes")
    done = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--passphrase-file", str(words))

    assert refused.status == 6
    assert "encrypted" in refused.err
    assert "--passphrase-file" in refused.err
    assert done.status == 0
    assert not closed.exists()


def test_a_database_that_is_away_is_named_and_the_rest_is_gone(world: World) -> None:
    world.plant()

    done = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--database", "postgresql://x@127.0.0.1:1/none")

    assert done.status == 6
    assert "Not reached: database" in done.err
    assert holding(world.files()) == []


def test_a_conductor_gets_a_new_head_without_the_words(world: World) -> None:
    world.plant()
    store = world.root / "conductors"
    wrapped = world("sandbox", "wrap", "--store", str(store), "--name", "planner", "--", "true")
    assert wrapped.status == 0, wrapped.err
    assert [name for name, data in world.files() if str(store) in name and JANE in data.lower()]

    done = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--json")

    assert done.status == 0, done.err
    assert holding(world.files()) == []
    head = json.loads((store / "planner/head.json").read_text())
    kept = (store / head["bundle"]).read_bytes()
    assert b"Two cores" in b"".join(data for _, data in unpacked("head", kept))


def test_words_that_stand_in_a_side_file_alone_are_found_and_go(world: World) -> None:
    side = world.shop / ".holdfast/state/models/answer.json"
    side.parent.mkdir(parents=True)
    side.write_text(json.dumps({"reply": "Jane Doe said so"}))

    done = world("forget", "--subject", SUBJECT, "--purge", "--yes")

    assert done.status == 0, done.err
    assert "answer.json" in done.out
    assert not side.exists()


def test_a_purged_bundle_brings_nothing_back(world: World) -> None:
    world.plant()
    bundle = world.root / "kept.tar.zst"
    world("export", str(bundle), "--scope", "all", "--conversations")
    other = world.root / "old"
    bundle.rename(other)
    assert world("forget", "--subject", SUBJECT, "--purge", "--yes").status == 0

    assert world("import", str(other), "--yes").status == 0
    other.unlink()

    assert [each["title"] for each in world("list", "--json").json["memories"]] == ["Two cores for the build"]
    assert [path for path, data in world.files() if "/journal/" in path and b"Rome" in data] == []


def test_every_workspace_is_reached_where_that_is_asked_for(world: World) -> None:
    other = world.root / "other"
    other.mkdir()
    world("init", "--yes", "--client", "none", at=other)
    world("remember", "decision", "Jane Doe signs here too", at=other)
    world.plant()

    here = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--json")
    between = holding(world.files())
    everywhere = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--everywhere", "--json")

    assert here.status == everywhere.status == 0
    assert between
    assert all("/other/" in path for path in between)
    assert set(everywhere.json["places"]) == {str(world.shop), str(other), "your own memory"}
    assert holding(world.files()) == []


def test_a_workspace_whose_folder_is_gone_is_named(world: World) -> None:
    other = world.root / "other"
    other.mkdir()
    world("init", "--yes", "--client", "none", at=other)
    world.plant()
    (other / ".holdfast").rename(world.root / "away")
    other.rmdir()

    done = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--everywhere")

    assert done.status == 0, done.err
    assert f"{other} is gone, and was not searched" in done.out


def test_an_agent_may_not(world: World) -> None:
    world.plant()
    before = sorted(holding(world.files()))

    for words in (("--subject", SUBJECT, "--purge"), ("--project",)):
        done = world("forget", *words, "--yes", env={"CLAUDECODE": "1"})
        assert done.status == 2
        assert "for a person" in done.err
    assert sorted(holding(world.files())) == before


def test_nothing_goes_before_somebody_confirms(world: World) -> None:
    world.plant()

    for words in (("--subject", SUBJECT, "--purge"), ("--project",)):
        assert world("forget", *words).status == 2
    assert world("forget", "--subject", "jd").status == 2
    assert world("forget", "--subject", SUBJECT, "--project").status == 2
    assert len(world("list", "--json").json["memories"]) == 3


def test_a_project_goes_with_all_that_is_kept_of_it(tmp_path: Path, address: str) -> None:
    project = f"shop-{os.urandom(4).hex()}"
    where = {"HOLDFAST_DATABASE_URL": address, "HOLDFAST_DATABASE_PROJECT": project, "HOLDFAST_DATABASE_PERSON": "ada"}
    world = World(tmp_path, where)
    world.plant()
    (world.shop / "AGENTS.md").write_text("# Ours\n")
    assert world("render").status == 0
    assert "Two cores" in (world.shop / "AGENTS.md").read_text()
    world("config", "backup.store", str(tmp_path / "backups"))
    world("backup", "now")
    world("export", str(tmp_path / "out.tar.zst"))
    world("sync", "database", "push", "--candidates", "--events")
    assert list(rows(address, project))

    done = world("forget", "--project", "--yes", "--json")

    assert done.status == 0, done.err
    assert done.json["proof"]["found"] == []
    assert not (world.shop / ".holdfast").exists()
    assert (world.shop / "AGENTS.md").read_text() == "# Ours\n"
    assert list(tmp_path.rglob("*.tar.zst*")) == []
    assert list(rows(address, project)) == []
    assert [name for name, data in world.files() if b"Two cores" in data] == []
    # One's own memory, and which of its files are known, is another thing.
    assert [path.name for path in (world.home / "workspaces").glob("*") if path.stem != "own"] == []
    assert [each["title"] for each in world("list", "--json").json["memories"]] == ["Jane Doe lives in Rome"]


def test_a_purge_that_is_killed_is_completed_by_the_same_command(tmp_path: Path) -> None:
    chance, killed = random.Random(20261116), list[int]()
    for number in range(4):
        world = World(tmp_path / str(number), {})
        world.plant()
        world("config", "backup.store", str(world.root / "backups"))
        world("backup", "now")
        world("export", str(world.root / "out.tar.zst"))
        words = [sys.executable, "-m", "holdfast.cli.main", "forget", "--subject", SUBJECT, "--purge", "--yes"]
        env = {**os.environ, **world.env}
        with subprocess.Popen(words, cwd=world.shop, env=env, stdout=subprocess.DEVNULL) as process:
            # Its marks are the first thing that it writes: from there on it works.
            while process.poll() is None and not marked(world):
                time.sleep(0.005)
            time.sleep(chance.uniform(0.0, 1.5) if number else 0.0)
            process.send_signal(signal.SIGKILL)
            killed.append(process.wait())

        done = world("forget", "--subject", SUBJECT, "--purge", "--yes", "--json")

        assert done.status in (0, 1), done.err
        assert holding(world.files()) == []
        assert world("doctor", "--verify").status == 0
        titles = {each["title"] for each in world("list", "--json").json["memories"]}
        assert titles == {"Two cores for the build"}
        assert json.loads(world("backup", "list", "--json").out)["backups"]
    assert -signal.SIGKILL in killed


def marked(world: World) -> bool:
    journal = world.shop / ".holdfast/journal"
    return any(b"memory.purged" in path.read_bytes() for path in journal.glob("*.jsonl"))


def test_everything_is_exported_in_plain_files(world: World) -> None:
    world.plant()
    place = world.root / "all.tar.zst"

    done = world("export", str(place), "--everything", "--json")

    assert done.status == 0, done.err
    held = {name.partition(":")[2]: data for name, data in unpacked("", place.read_bytes())}
    kept: list[Any] = []
    for top, scope in ((world.shop / ".holdfast", "workspace"), (world.home, "user")):
        for folder in ("memory", "candidates", "log", "learning", "work", "runs"):
            for path in sorted((top / folder).rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    kept.append(path)
                    assert held[f"{scope}/{path.relative_to(top)}"] == path.read_bytes()
    assert len(kept) > 3
    for top, scope in ((world.shop / ".holdfast", "workspace"), (world.home, "user")):
        lines = [line for path in sorted((top / "journal").glob("*.jsonl")) for line in path.read_text().splitlines()]
        records = [json.loads(line[line.index("{") :]) for line in lines if "{" in line]
        wanted = {row["id"] for row in records if row.get("kind") == "event"}
        parts = [data for name, data in held.items() if name.startswith(f"{scope}/journal/")]
        assert wanted <= {json.loads(line)["id"] for part in parts for line in part.splitlines()}
