"""`forget --everywhere` where workspaces were deleted since."""

import shutil
from pathlib import Path

from tests.journeys.test_forget import SUBJECT, World, holding

PURGE = ("forget", "--subject", SUBJECT, "--purge", "--everywhere", "--yes")


def beside(world: World, name: str) -> Path:
    """Another workspace, with a memory of the person."""
    folder = world.root / name
    folder.mkdir(parents=True)
    assert world("init", "--yes", "--client", "none", at=folder).status == 0
    assert world("remember", "learning", "Jane Doe likes tabs", at=folder).status == 0
    return folder


def test_a_workspace_that_was_deleted_is_no_place_out_of_reach(tmp_path: Path) -> None:
    world = World(tmp_path, {})
    world.plant()
    kept, gone = beside(world, "kept"), beside(world, "gone")
    shutil.rmtree(gone)

    done = world(*PURGE)

    assert done.status == 0, done.err
    assert f"{gone} is gone, and was not searched" in done.out
    assert holding(world.files()) == []
    assert world("list", "--json", at=kept).json["memories"] == []
    books = [path.read_text() for path in (world.home / "workspaces").glob("*.json")]
    assert not any(str(gone) in book for book in books)
    assert any(str(kept) in book for book in books)
    again = world(*PURGE)
    assert again.status == 1
    assert "is gone" not in again.out


def test_a_bundle_of_a_workspace_that_was_deleted_is_named(tmp_path: Path) -> None:
    world = World(tmp_path, {})
    world.plant()
    gone, made = beside(world, "gone"), tmp_path / "made.tar.zst"
    assert world("export", str(made), at=gone).status == 0
    shutil.rmtree(gone)

    done = world(*PURGE)
    assert done.status == 6
    assert f"remove {str(made)!r}" in done.err
    made.unlink()

    assert world(*PURGE).status in {0, 1}


def test_a_workspace_below_an_empty_folder_may_be_on_a_disk_that_is_away(tmp_path: Path) -> None:
    world = World(tmp_path, {})
    world.plant()
    away = beside(world, "disk/shop")
    shutil.rmtree(away)

    done = world(*PURGE)

    assert done.status == 6
    assert f"its folder {str(away)!r} is not there" in done.err
