"""The recorded session in the README shows what its commands print today."""

from pathlib import Path

from tests.architecture.record import PICTURE, ROOT, find_lasting, play, read_picture

MOST_BYTES = 20_000


def test_the_recording_shows_what_its_commands_print(tmp_path: Path) -> None:
    shown = read_picture(PICTURE.read_text(encoding="utf-8"))

    assert find_lasting(shown) == find_lasting(play(tmp_path)), "run ./do recording"


def test_the_recording_is_small_and_asks_for_nothing_outside() -> None:
    picture = PICTURE.read_text(encoding="utf-8")

    assert len(picture) < MOST_BYTES
    assert "url(" not in picture
    assert "@import" not in picture
    assert "href" not in picture
    assert f"]({PICTURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text(encoding="utf-8")
