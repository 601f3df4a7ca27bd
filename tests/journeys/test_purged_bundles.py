"""What was purged does not come back by a bundle: neither by a copy of one that was removed, nor by its records."""

import shutil
from pathlib import Path

import pytest
from tests.journeys.hooking import Client
from tests.journeys.test_forget import SUBJECT, World, holding

PURGE = ("forget", "--subject", SUBJECT, "--purge", "--yes")


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path, {})
    found.plant()
    client = Client(found.shop, HOLDFAST_HOME=str(found.home))
    client.start()
    client.says("Jane Doe asked us to use tabs in the parser")
    client.send("Stop")
    client.send("SessionEnd", reason="exit")
    assert found("distil").status in {0, 1}
    return found


def here(world: World) -> list[str]:
    """What holds the words on this machine, besides copies of bundles that we put away."""
    return [name for name in holding(world.files()) if "/away/" not in name]


def kept_away(world: World, name: str) -> Path:
    """A copy of a fresh export, at a place that Holdfast does not know."""
    made = world.root / name
    assert world("export", str(made), "--everything").status == 0
    copy = world.root / "away" / name
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(made, copy)
    return copy


def test_a_copy_of_a_bundle_that_a_purge_removed_is_refused(world: World) -> None:
    copy = kept_away(world, "all.tar.zst")
    assert world(*PURGE).status == 0
    assert here(world) == []

    done = world("import", str(copy), "--yes")

    assert done.status == 2
    assert "a copy of one that a purge removed" in done.err
    assert here(world) == []
    other = world.root / "other"
    other.mkdir()
    assert world("init", "--yes", "--client", "none", at=other).status == 0
    assert "a copy of one that a purge removed" in world("import", str(copy), "--yes", at=other).err
    assert here(world) == []


@pytest.mark.parametrize("how", ["--everything", "--scope=workspace"])
def test_a_bundle_that_was_not_known_brings_no_record_where_it_holds_what_was_purged(world: World, how: str) -> None:
    made, copy = world.root / "all.tar.zst", world.root / "away" / "moved.tar.zst"
    copy.parent.mkdir()
    assert world("export", str(made), how).status == 0
    # Moved, it is not found, and so no purge can know its sum.
    shutil.move(made, copy)
    assert world(*PURGE).status == 0

    done = world("import", str(copy), "--yes", "--all")

    assert done.status == 0, done.err
    assert "the bundle holds what was purged here" in done.out
    assert here(world) == []


def test_a_copy_of_a_project_that_was_taken_away_is_a_way_back(world: World) -> None:
    copy = kept_away(world, "all.tar.zst")
    assert world("forget", "--project", "--yes").status == 0
    assert world("init", "--yes", "--client", "none").status == 0

    done = world("import", str(copy), "--yes")

    assert done.status == 0, done.err
    assert len(world("list", "--json").json["memories"]) >= 2


def test_a_bundle_that_was_made_after_a_purge_brings_all_of_its_records(world: World) -> None:
    assert world(*PURGE).status == 0
    made = world.root / "later.tar.zst"
    assert world("export", str(made), "--everything").status == 0
    todo = world.shop / ".holdfast/context/todo.md"
    before = todo.read_bytes()
    todo.unlink()

    done = world("import", str(made), "--yes")

    assert done.status == 0, done.err
    assert todo.read_bytes() == before
    assert b"paint the fence" in before
