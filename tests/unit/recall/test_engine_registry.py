from pathlib import Path

import pytest
from tests.unit.recall.engine_values import shelf

from holdfast.core.value import replace
from holdfast.recall.engine.find_passages import find
from holdfast.recall.engine.lane_registry import BUILT_IN, NoSuchLane, load_attribute, load_lane
from holdfast.recall.engine.recipes import WORDS

PLUGIN = """
from holdfast.recall.engine.engine_values import LaneValues


class Vowels:
    name = "vowels"

    def see(self, asking, table):
        counts = [sum(letter in "aeiou" for word in table.texts[row].words for letter in word) for row in table.rows]
        most = max(counts, default=0) or 1
        return LaneValues(values=[count / most for count in counts], why=lambda place: f"{counts[place]} vowels")

    def rows(self, asking, table, limit):
        return [2]
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with a lane, as pip would have put it there."""
    about = tmp_path / "vowels-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: vowels\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[holdfast.lanes]\nvowels = vowels_lane:Vowels\n")
    (tmp_path / "vowels_lane.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_a_lane_of_another_package_takes_part() -> None:
    recipe = replace(WORDS, plain={"words": 0.1, "vowels": 1.0}, find={"words": 10, "vowels": 5})

    found = find("redis", shelf("redis", "aeiou is all vowels"), recipe=recipe)

    assert found.hits[0].row == 2
    assert [(score.lane, score.why) for score in found.hits[0].lanes] == [("vowels", "9 vowels")]


def test_a_lane_that_is_nowhere_is_named() -> None:
    with pytest.raises(NoSuchLane, match="no lane 'nowhere'"):
        load_lane("nowhere")


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_built_in_lane_is_registered_under_its_name(name: str) -> None:
    assert load_attribute(BUILT_IN[name]).name == name
