"""Memories that contradict each other: looked at once, again when they change, and never trusted blindly."""

import json
import os
from pathlib import Path

import pytest

from holdfast.app import open_memory
from holdfast.care.workspace_status import read_status
from holdfast.core.relation import Kind
from holdfast.core.search import Select
from holdfast.review import conflict_pairs as module
from holdfast.review.badge import read_badge
from holdfast.review.conflict_pairs import KEPT, find_conflict_pairs, find_few_conflict_pairs
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

TABS = ("INV-000001", "Indent with tabs")
SPACES = ("INV-000002", "Indent with spaces")


def write(app: App, memory: tuple[str, str], more: str = "") -> Path:
    name, title = memory
    path = Path(app.folder, "memory", f"{name}.md")
    path.write_text(
        f"---\nid: {name}\ntype: invariant\ntitle: {title}\nupdated: 2026-01-0{name[-1]}\n{more}---\n\n{title}.\n"
    )
    app.refresh()
    return path


def again(app: App) -> App:
    return open_memory(app.workspace)


@pytest.fixture
def app(tmp_path: Path) -> App:
    folder = tmp_path / "project"
    folder.mkdir()
    made = init(plan_init(str(folder), named=True)).app
    write(made, TABS)
    write(made, SPACES)
    return made


def ids(app: App) -> list[tuple[str, str]]:
    return [(pair.new.memory.id, pair.old.memory.id) for pair in find_conflict_pairs(app).conflicting]


def test_the_newer_one_is_new_and_the_pair_counts_in_status_and_badge(app: App) -> None:
    assert ids(app) == [("INV-000002", "INV-000001")]

    assert len(read_status(app).conflicts.conflicting) == 1
    assert read_badge(app.workspace).words == "1 conflict"


def test_what_was_looked_at_is_not_looked_at_again(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    find_conflict_pairs(app)

    class Blind:
        def __init__(self, *_: object) -> None:
            raise AssertionError("looked again")

    monkeypatch.setattr("holdfast.review.relations.RelationFinder", Blind)

    assert ids(again(app)) == [("INV-000002", "INV-000001")]


def test_one_that_changed_ended_or_went_is_no_longer_at_odds(app: App) -> None:
    find_conflict_pairs(app)
    write(app, SPACES, "valid_until: 2026-02-01\n")
    assert ids(app) == []
    assert read_badge(app.workspace).words == ""

    write(app, SPACES)
    assert len(ids(app)) == 1
    write(app, ("INV-000002", "Format with black"))
    assert ids(app) == []

    write(app, SPACES)
    assert len(ids(app)) == 1
    Path(app.folder, "memory/INV-000001.md").unlink()
    app.refresh()
    assert ids(app) == []


def test_the_badge_counts_a_pair_only_while_its_files_are_as_they_were(app: App) -> None:
    find_conflict_pairs(app)
    assert read_badge(app.workspace).conflicts == 1

    write(app, ("INV-000002", "Format with black"))

    assert read_badge(app.workspace).conflicts == 0


def test_a_short_look_says_how_many_are_left(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", 1)

    first = find_few_conflict_pairs(app, app.index.select(Select()))
    second = find_few_conflict_pairs(app, app.index.select(Select()))

    assert (first.unseen, second.unseen) == (1, 0)
    assert len(second.conflicting) == 1


@pytest.mark.parametrize(
    "kept",
    [
        b"\xff", b"[]", b'{"v": 2, "seen": {}}', b'{"v": 1, "seen": [], "pairs": {}}',
        b'{"v": 1, "seen": {"INV-000001": 1}}',
        b'{"v": 1, "seen": {}, "pairs": [1, {"new": [], "old": {}}, {"new": "x", "old": "y", "kind": "contradicts"}]}',
    ],
)  # fmt: skip
def test_what_is_kept_may_be_broken_or_lie(app: App, kept: bytes) -> None:
    path = Path(app.folder, KEPT)
    path.parent.mkdir(parents=True)
    path.write_bytes(kept)

    assert ids(app) == [("INV-000002", "INV-000001")]
    assert json.loads(path.read_bytes())["v"] == 1


def test_a_pair_that_is_only_said_to_be_one_needs_both_to_be_seen(app: App) -> None:
    find_conflict_pairs(app)
    path = Path(app.folder, KEPT)
    form = json.loads(path.read_bytes())
    form["pairs"] = [{"new": "INV-000001", "old": "INV-000002", "kind": "nonsense"}, {"new": "INV-9", "old": "INV-8"}]
    path.write_text(json.dumps(form))

    assert find_conflict_pairs(again(app)).pairs == ()


def test_a_link_in_the_way_is_not_followed(app: App, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    os.makedirs(os.path.join(app.folder, "state"), exist_ok=True)
    Path(app.folder, "state/conflicts").symlink_to(outside)

    assert len(ids(app)) == 1
    assert list(outside.iterdir()) == []


def test_an_agents_view_is_not_kept(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")

    find_conflict_pairs(again(app))

    assert not Path(app.folder, KEPT).exists()


def test_one_that_only_says_it_replaces_another_is_no_contradiction(app: App) -> None:
    write(app, ("INV-000003", "Indent with two spaces instead of tabs"), "supersedes: [INV-000001, INV-000002]\n")

    assert [pair for pair in find_conflict_pairs(app).pairs if pair.kind is Kind.CONTRADICTS] == []
