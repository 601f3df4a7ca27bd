"""The page and the picture of the architecture are as the code is."""

import re
from pathlib import Path

import pytest
from tests.architecture.draw import BANDS, FLOW, PAGES, PICTURE, draw, with_table
from tests.architecture.folders import ROOT, SOURCE, arrows, extras, imports, layers, names_on_disk, read_folder

PAGE = ROOT / "docs" / "architecture.md"


def test_every_folder_stands_in_one_layer() -> None:
    placed = [name for layer in layers() for name in layer]

    assert sorted(placed) == sorted(set(placed))
    assert sorted(names_on_disk()) == sorted(placed)


def test_every_band_of_the_picture_begins_at_a_layer() -> None:
    first = [layer[0] for layer in layers()]

    assert [name for name in first if name in {name for _, name in BANDS}] == [name for _, name in BANDS]


def test_the_picture_is_drawn_from_the_imports_of_today() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "run ./do architecture"


def test_the_arrows_say_all_that_the_imports_say() -> None:
    reached = {(above, below) for above, below in arrows()}
    while more := {(above, under) for above, mid in reached for start, under in arrows() if mid == start} - reached:
        reached |= more

    assert imports() <= reached
    assert arrows() <= imports()


def test_extras_are_drawn_apart() -> None:
    picture = PICTURE.read_text(encoding="utf-8")

    drawn = set(re.findall(r'<g class="extra">.*?class="name"[^>]*>(\w+)<', picture))
    assert drawn == extras()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_table_of_folders_is_in_step(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert text.count("| `core/` |") == 1
    assert text == with_table(text), "run ./do architecture"


def test_the_flow_names_folders_and_files_that_are_there() -> None:
    rows = re.findall(r"^\| \d+ \| `(\w+)/` \| .* \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert [folder for folder, _ in rows] == [folder for folder, _ in FLOW]
    for folder, files in rows:
        for name in re.findall(r"`([^`]+)`", files):
            assert (SOURCE / folder / name).is_file(), f"{folder}/{name}"


def test_every_path_that_the_page_names_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")

    named = set(re.findall(r"`((?:hook|clients|redact|system|tests|core)/[\w/.]+)`", text))
    missing = [name for name in named if not (ROOT / name).exists() and not (SOURCE / name).exists()]
    assert missing == []


def test_every_folder_says_in_a_line_what_it_is() -> None:
    for layer in layers():
        for name in layer:
            folder = read_folder(name)
            assert folder.about.endswith("."), name
            assert 0 < len(folder.gist) <= 48, name
