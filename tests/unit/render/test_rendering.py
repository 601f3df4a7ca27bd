"""Blocks planned and written: what changed between the two is never lost."""

import threading
from pathlib import Path

import pytest

from holdfast.app import open_memory
from holdfast.clients.install.marked_text import BEGIN
from holdfast.render import STATE
from holdfast.render.refresh import refresh_rendered_blocks
from holdfast.render.render_files import plan_removal, plan_rendering, write_plan
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.system.safe_write import FileChangedSinceRead
from holdfast.workspace import App


@pytest.fixture
def app(tmp_path: Path) -> App:
    (tmp_path / "AGENTS.md").write_text("# Agents\n")
    (tmp_path / "GEMINI.md").write_text("# Gemini\n")
    init(plan_init(str(tmp_path), named=True))
    app = open_memory(str(tmp_path))
    remember(app, MemoryDraft(type="invariant", text="Never log tokens"))
    return app


def test_a_file_that_changed_since_the_plan_keeps_the_change_and_the_others_are_written(app: App) -> None:
    agents, gemini = (Path(app.workspace, name) for name in ("AGENTS.md", "GEMINI.md"))
    planned = plan_rendering(app)
    agents.write_text("# Agents, edited\n")

    with pytest.raises(FileChangedSinceRead):
        write_plan(app, planned)

    assert agents.read_text() == "# Agents, edited\n"
    assert BEGIN in gemini.read_text()


def test_a_file_that_appeared_since_the_plan_is_not_replaced(app: App) -> None:
    planned = plan_rendering(app, ["cursor"])
    place = Path(app.workspace, ".cursor/rules/holdfast.mdc")
    place.parent.mkdir(parents=True)
    place.write_text("mine\n")

    with pytest.raises(FileChangedSinceRead):
        write_plan(app, planned)

    assert place.read_text() == "mine\n"


def test_an_editor_that_saves_all_the_while_loses_no_line(app: App) -> None:
    agents = Path(app.workspace, "AGENTS.md")
    write_plan(app, plan_rendering(app))
    done = threading.Event()

    def renewing() -> None:
        other = open_memory(app.workspace)
        for number in range(8):
            remember(other, MemoryDraft(type="learning", text=f"Fact number {number}"))
        done.set()

    thread = threading.Thread(target=renewing)
    thread.start()
    saved = 0
    while not done.wait(0.01):
        saved += 1
        text = agents.read_text()
        head, mark, block = text.partition(BEGIN)
        temporary = agents.with_name("saving")
        temporary.write_text(f"{head.rstrip()}\nline {saved}\n\n{mark}{block}")
        temporary.replace(agents)
    thread.join()
    refresh_rendered_blocks(open_memory(app.workspace))

    text = agents.read_text()
    assert text.count(BEGIN) == 1
    assert f"line {saved}\n" in text
    assert all(f"Fact number {number}" in text for number in range(8))


def test_a_state_that_says_nothing_usable_stops_nothing(app: App) -> None:
    state = Path(app.folder, STATE)
    for content in ("", "[]", '{"targets": 3, "made": null}', '{"targets": ["nonsense", 7]}', "{" * 5000):
        state.write_text(content)

        remember(app, MemoryDraft(type="learning", text=f"Kept beside {content[:20]!r}"))
        write_plan(app, plan_rendering(app))
        write_plan(app, plan_removal(app), removing=True)

        assert Path(app.workspace, "AGENTS.md").read_text() == "# Agents\n"
        assert not state.exists()


def test_a_workspace_that_moved_is_renewed_where_it_is_now(app: App, tmp_path: Path) -> None:
    write_plan(app, plan_rendering(app))
    moved = tmp_path.with_name(f"{tmp_path.name}-moved")
    tmp_path.rename(moved)

    remember(open_memory(str(moved)), MemoryDraft(type="invariant", text="Never push on Fridays"))

    assert "Never push on Fridays" in (moved / "AGENTS.md").read_text()
