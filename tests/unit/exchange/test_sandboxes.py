"""A conductor's memory in a store: what a writer sends, and what it believes of a head."""

from pathlib import Path

import pytest

from holdfast.app import build_app
from holdfast.core.search import Select
from holdfast.exchange.bundles.sandboxes import MOST_HEAD, Conductor
from holdfast.exchange.object_store import TooLarge
from holdfast.exchange.open_store import open_store
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App


def sandbox(folder: Path) -> App:
    folder.mkdir()
    init(plan_init(str(folder), named=True))
    return build_app(str(folder))


def test_a_writer_that_lost_already_sends_one_bundle_with_both(tmp_path: Path) -> None:
    one, two = sandbox(tmp_path / "one"), sandbox(tmp_path / "two")
    store = str(tmp_path / "store")
    first, second = Conductor(one, store, "planner"), Conductor(two, store, "planner")
    remember(one, MemoryDraft(type="decision", text="Use Textual"))
    first.push()
    remember(two, MemoryDraft(type="decision", text="Two cores for the build"))
    second.push()
    remember(one, MemoryDraft(type="decision", text="Tabs"))

    done = first.push()

    assert done is not None
    assert done.merged == 1
    titles = {entry.memory.title for entry in build_app(one.workspace).index.select(Select())}
    assert titles == {"Use Textual", "Two cores for the build", "Tabs"}
    assert len([row for row in open_store(store).list("planner/bundles/") if row.name.endswith(".zst")]) == 3


def test_a_head_without_end_is_not_read(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store"))
    store.put("planner/head.json", b" " * (MOST_HEAD + 1))

    with pytest.raises(TooLarge, match="nothing that Holdfast wrote"):
        Conductor(sandbox(tmp_path / "one"), str(tmp_path / "store"), "planner").pull()
