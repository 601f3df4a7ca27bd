"""The screen as text, compared with what was looked at and found good. `UPDATE_SNAPSHOTS=1` writes them anew."""

import os
import re
from html import unescape
from pathlib import Path

import pytest
from tests.unit.tui.playing import Player, play
from tests.unit.tui.workspace import clash, full, workspace

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests/data/snapshots/review"
PICTURE = ROOT / "docs/pictures/review.svg"
UPDATE = os.environ.get("UPDATE_SNAPSHOTS") == "1"
SCREENS = {
    "conflict": ((80, 24), ()),
    "plain": ((80, 24), ("j",)),
    "blocked": ((80, 24), ("a",)),
    "evidence": ((80, 24), ("tab", "tab")),
    "duplicate": ((80, 24), ("j", "j")),
    "from-a-tool": ((80, 24), ("G",)),
    "pair": ((80, 24), ("g",)),
    "selected": ((80, 24), ("space", "space")),
    "reject": ((80, 24), ("r",)),
    "merge": ((80, 24), ("m",)),
    "help": ((80, 24), ("question_mark",)),
    "accepted": ((80, 24), ("j", "a")),
    "small": ((40, 16), ()),
    "wide": ((120, 40), ()),
    "wider": ((200, 60), ("a",)),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "shop"
    path.mkdir()
    return path


def compare(name: str, shown: str) -> None:
    path = FOLDER / f"{name}.txt"
    if UPDATE:
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8"), f"{path.name} is another: look at it, then UPDATE_SNAPSHOTS=1"


@pytest.mark.parametrize("name", SCREENS)
def test_the_screen_is_as_it_was_found_good(folder: Path, name: str) -> None:
    app = full(folder)
    clash(app)
    size, keys = SCREENS[name]

    async def script(player: Player) -> None:
        await player.press(*keys)
        compare(name, player.text)

    play(app, script, size=size)


def test_an_empty_queue_is_as_it_was_found_good(folder: Path) -> None:
    async def script(player: Player) -> None:
        compare("empty", player.text)

    play(workspace(folder), script)


def test_the_picture_of_the_guide_shows_what_is_there(folder: Path) -> None:
    async def script(player: Player) -> None:
        await player.press("a")
        # Without the address that Rich would load its font from.
        drawn = re.sub(
            r"@font-face \{.*?\}\s*", "", player.review.export_screenshot(title="holdfast review"), flags=re.DOTALL
        )
        if UPDATE:
            PICTURE.write_text(drawn, encoding="utf-8")
        assert words(drawn) == words(PICTURE.read_text(encoding="utf-8")), "UPDATE_SNAPSHOTS=1 draws it anew"

    play(full(folder), script, size=(120, 30))


def words(svg: str) -> list[str]:
    return unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))).split()
