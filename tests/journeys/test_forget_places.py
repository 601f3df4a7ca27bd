"""Places that a purge must know of by itself: other teams, dead stores, other sandboxes, the team behind a server."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.databases import database, postgres
from tests.journeys.test_forget import JANE, SUBJECT, World, holding, rows
from tests.journeys.test_remote import Laptop, port, serving
from tests.journeys.test_team_over_server import Laptop as Member
from tests.journeys.test_team_over_server import Server

__all__ = ["port"]
PURGE = ("forget", "--subject", SUBJECT, "--purge", "--yes")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres() as url, database(url):
        yield url


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, {})


def in_database(root: Path, address: str) -> tuple[World, str]:
    project = f"shop-{os.urandom(4).hex()}"
    where = {"HOLDFAST_DATABASE_URL": address, "HOLDFAST_DATABASE_PROJECT": project, "HOLDFAST_DATABASE_PERSON": "ada"}
    return World(root, where), project


def everywhere(address: str, project: str) -> list[str]:
    """The tables in which rows of any team's project of a name hold the words."""
    with psycopg.connect(address) as connection:
        found = connection.execute("SELECT id, name FROM holdfast.space WHERE name = %s", (project,)).fetchall()
        for number, name in found:
            connection.execute("UPDATE holdfast.space SET name = %s WHERE id = %s", (f"{name}#{number}", number))
        connection.commit()
        held = [table for number, name in found for table in holding(rows(address, f"{name}#{number}"))]
        for number, name in found:
            connection.execute("UPDATE holdfast.space SET name = %s WHERE id = %s", (name, number))
    return held


def test_every_team_that_was_synced_with_is_purged_without_being_named(tmp_path: Path, address: str) -> None:
    world, project = in_database(tmp_path, address)
    world.plant()
    for team in ("acme", "second"):
        assert world("sync", "database", "push", "--team", team, "--new-team", "--events").status == 0
    assert everywhere(address, project)

    done = world(*PURGE, "--json")

    assert done.status == 0, done.err
    assert set(done.json["database"]["team"].split(", ")) >= {"acme", "second"}
    assert everywhere(address, project) == []


def test_a_database_that_was_synced_with_is_asked_although_it_is_not_set_any_more(tmp_path: Path, address: str) -> None:
    world, project = in_database(tmp_path, address)
    world.plant()
    assert world("sync", "database", "push", "--team", "acme", "--new-team").status == 0

    done = world(*PURGE, env={"HOLDFAST_DATABASE_URL": ""})

    assert done.status == 0, done.err
    assert everywhere(address, project) == []


def test_what_an_old_sync_left_is_found_by_its_name_or_told(tmp_path: Path, address: str) -> None:
    world, project = in_database(tmp_path, address)
    world.plant()
    assert world("sync", "database", "push", "--team", "acme", "--new-team").status == 0
    for path in (world.home / "workspaces").glob("*.used"):
        path.unlink()

    away = world(*PURGE, env={"HOLDFAST_DATABASE_URL": ""})
    assert "was once synced with" in away.out
    assert everywhere(address, project)
    found = world(*PURGE)

    assert found.status == 0, found.err
    assert everywhere(address, project) == []


def test_a_project_goes_from_every_team_that_it_was_pushed_to(tmp_path: Path, address: str) -> None:
    world, project = in_database(tmp_path, address)
    world.plant()
    for team in ("acme", "second"):
        assert world("sync", "database", "push", "--team", team, "--new-team").status == 0

    done = world("forget", "--project", "--yes", "--json")

    assert done.status == 0, done.err
    assert done.json["database"]["file"] >= 4
    assert list(rows(address, project)) == []


def test_a_purge_that_did_not_reach_the_database_is_brought_there_by_the_next_sync(
    tmp_path: Path, address: str
) -> None:
    world, project = in_database(tmp_path, address)
    world.plant()
    assert world("sync", "database", "--team", "acme", "--new-team").status == 0
    for path in (world.home / "workspaces").glob("*.used"):
        path.unlink()
    assert world(*PURGE, env={"HOLDFAST_DATABASE_URL": ""}).status == 0
    assert everywhere(address, project)

    assert world("sync", "database", "--team", "acme").status == 0

    assert everywhere(address, project) == []


def test_one_dead_store_keeps_no_other_bundle_and_the_list_stays(world: World) -> None:
    world.plant()
    dead, alive = world.root / "dead", world.root / "alive"
    for store in (dead, alive):
        world("config", "backup.store", str(store))
        assert world("backup", "now").status == 0
    out = world.root / "out.tar.zst"
    world("export", str(out))
    shutil.rmtree(dead)
    dead.write_text("a file now")

    done = world("forget", "--project", "--yes", "--json")

    assert done.status == 6, done.err
    assert str(dead) in done.err
    assert not out.exists()
    assert list(alive.rglob("*.tar.zst")) == []
    told = done.json
    assert told["error"]["family"] == "unavailable"
    assert len(told["bundles"]) == 2
    [listed] = told["listed"]
    assert str(dead) in Path(listed).read_text()
    assert str(alive) not in Path(listed).read_text()


def test_a_backup_that_waits_for_a_store_that_is_not_set_any_more_blocks_nothing(world: World) -> None:
    wrong = world.root / "wrong"
    wrong.write_text("no folder")
    world.plant()
    world("config", "backup.store", str(wrong))
    assert world("backup", "now").status != 0
    world("config", "backup.store", str(world.root / "right"))

    nothing = world("forget", "--subject", "Nobody Atall", "--purge", "--yes")
    cleared = world("backup", "now")
    after = world("backup", "status")

    assert nothing.status == 1, nothing.err
    assert f"not sent any more: {wrong}" in cleared.out
    assert after.status == 0, after.out
    assert world(*PURGE).status == 0


def test_a_purge_takes_what_waits_and_counts_only_what_it_looked_into(world: World) -> None:
    wrong = world.root / "wrong"
    wrong.write_text("no folder")
    world.plant()
    world("config", "backup.store", str(wrong))
    assert world("backup", "now").status != 0
    world("config", "backup.store", "")

    done = world(*PURGE, "--json")

    assert done.status == 0, done.err
    assert done.json["bundles"]["looked"] == 0
    assert [each["stands"] for each in done.json["bundles"]["left"]] == ["not sent"]
    assert holding(world.files()) == []
    assert world("backup", "status", "--json").json["waiting"] == []


def test_a_bundle_of_a_conductor_that_another_sandbox_wrote_goes_too(tmp_path: Path) -> None:
    key = {"HOLDFAST_SHARE_KEY": "env:CONDUCTOR_KEY", "CONDUCTOR_KEY": "ab" * 32}
    one, two = World(tmp_path / "one", key), World(tmp_path / "two", key)
    store = tmp_path / "store"
    wrap = ("sandbox", "wrap", "--store", str(store), "--name", "planner", "--", "true")
    one("remember", "decision", "Two cores for the build")
    assert one(*wrap).status == 0
    two.plant()
    assert two(*wrap).status == 0
    assert one(*wrap).status == 0

    done = one(*PURGE, "--json")

    assert done.status == 0, done.err
    kept = World.__new__(World)
    kept.root = store
    assert holding(kept.files()) == []
    assert two(*wrap).status == 0
    batches = two.shop / ".holdfast/state/batches"
    assert [path for path in batches.glob("*") if b"asked for them" in path.read_bytes()] == []


def test_what_was_purged_elsewhere_comes_from_no_bundle_and_is_not_sent_in_silence(tmp_path: Path, port: int) -> None:
    team = Laptop(tmp_path, "server")
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob")
    old, restored = tmp_path / "old.tar.zst", tmp_path / "restored.md"
    with serving(team.home, team.folder, port) as server:
        ada.join(server)
        bob.join(server)
        ada.remember("Two cores for the build")
        ada.remember("Tabs, since Jane Doe asked for them")
        ada.sync()
        bob.sync()
        assert bob("export", str(old), "--conversations").status == 0
        [file] = [path for path in (bob.folder / ".holdfast/memory").rglob("*.md") if JANE in path.read_bytes().lower()]
        restored.write_bytes(file.read_bytes())

        assert ada(*PURGE).status == 0
        bob.sync()
        came = bob("import", str(old), "--yes")
        assert "it was forgotten here" in came.out
        assert bob.titles() == {"Two cores for the build"}
        file.write_bytes(restored.read_bytes())
        assert [each["what"] for each in bob.sync()["refused"]]
        assert ada.titles() == team.titles() == {"Two cores for the build"}


def test_a_purge_in_a_team_behind_a_server_leaves_no_state_of_a_sync(tmp_path: Path, address: str, port: int) -> None:
    ada = Member(tmp_path, "ada")
    with Server(tmp_path / "server", address, f"team-{os.urandom(4).hex()}", port).running() as server:
        joined = ada("team", "join", server.url, "--as", "Ada", stdin=f"{server.token}\n")
        assert joined.status == 0, joined.err
        name = ada("remember", "decision", "Tabs", "--title", "Tabs for Jane Doe", "--json").json["id"]
        ada.promote(str(name))
        assert ada.sync().status == 0

        done = ada(*PURGE)

        assert done.status == 0, done.err
        found = [path for path in (tmp_path / "ada").rglob("*") if path.is_file() and b"jane" in path.read_bytes()]
        assert found == []
        assert ada.sync().status == 0
        assert "Jane" not in ada("list").out


def test_a_store_that_is_gone_for_good_stops_no_purge_and_every_proof_says_so(world: World) -> None:
    dead = world.root / "dead"
    world.plant()
    world("config", "backup.store", str(dead))
    assert world("backup", "now").status == 0
    shutil.move(dead, world.root / "elsewhere")
    dead.write_text("no folder any more")
    assert world("backup", "forget-store", str(dead), "--yes").status == 2
    world("config", "backup.store", str(world.root / "alive"))
    stopped = world(*PURGE)
    assert stopped.status == 6
    assert "backup forget-store" in stopped.err

    assert world("backup", "forget-store", str(dead)).status == 2
    gone = world("backup", "forget-store", str(dead), "--yes", "--json")
    done = world("forget", "--text", "Two cores", "--purge", "--yes", "--json")
    nothing = world(*PURGE, "--json")

    assert gone.json["bundles"] == 1
    assert done.status == 0, done.err
    assert [each["stands"] for each in done.json["bundles"]["left"]] == ["given up"]
    assert any(str(dead) in each and "not proven removed" in each for each in done.json["unreachable"])
    assert nothing.status == 1
    assert any("not proven removed" in each for each in nothing.json["unreachable"])
    assert world("backup", "forget-store", "s3://never/used", "--yes").status == 3


def test_a_store_that_comes_back_is_looked_into_again(world: World) -> None:
    store = world.root / "store"
    world.plant()
    world("config", "backup.store", str(store))
    assert world("backup", "now").status == 0
    shutil.move(store, world.root / "aside")
    store.write_text("no folder")
    world("config", "backup.store", "")
    assert world("backup", "forget-store", str(store), "--yes", "--json").json["bundles"] == 1
    store.unlink()
    shutil.move(world.root / "aside", store)
    world("config", "backup.store", str(store))

    done = world(*PURGE, "--json")

    assert done.status == 0, done.err
    assert not any("proven" in each for each in done.json["unreachable"])
    assert len(done.json["bundles"]["removed"]) == 1
    assert holding(world.files()) == []


def test_what_waits_for_a_wrong_store_can_be_let_go(world: World) -> None:
    wrong = world.root / "wrong"
    wrong.write_text("no folder")
    world("remember", "decision", "Two cores for the build")
    assert world("sandbox", "push", "--store", str(wrong), "--name", "planner").status != 0
    [waits] = world("backup", "status", "--json").json["waiting"]

    done = world("backup", "forget-store", str(wrong), "--yes", "--json")

    assert done.status == 0, done.err
    assert waits["place"] in done.json["waiting"]
    assert world("backup", "status", "--json").json["waiting"] == []


def test_what_a_killed_writer_left_beside_in_a_folder_goes_too(world: World) -> None:
    store = world.root / "store"
    world.plant()
    assert world("export", f"file://{store}/x.holdfast.tar.zst").status == 0
    [log] = (world.home / "share/bundles").glob("*.jsonl")
    # As a kill leaves it, after the bytes were written and before they got their name.
    (store / "x.holdfast.tar.zst").rename(store / ".holdfast-tmp-1-abcdef")
    log.write_text("".join(line for line in log.read_text().splitlines(keepends=True) if '"sending": "yes"' in line))

    done = world(*PURGE)

    assert done.status == 0, done.err
    assert [path.name for path in store.iterdir()] == [".holdfast-lock"]
    assert "x.holdfast" not in log.read_text()
