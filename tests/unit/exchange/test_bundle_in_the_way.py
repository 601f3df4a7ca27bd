"""What already stands where a bundle's file should go: it stays, the rest comes, and no import is left half done."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.bundle_made import made, memory_text

from holdfast.app import build_app
from holdfast.core.search import Select
from holdfast.exchange.bundles.apply_import import finish_imports
from holdfast.exchange.bundles.export_import import (
    KEPT,
    REJECTED,
    BundleImportResult,
    BundleKeys,
    load_share_key,
    open_import,
)
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

FIRST = {"memory/decisions/DEC-A.md": memory_text("DEC-A", "First"), "log/2026-01-01.md": b"- said\n"}
SECOND = memory_text("DEC-B", "Second")
Prepare = Callable[[Path], None]


@pytest.fixture
def app(tmp_path: Path) -> App:
    (tmp_path / "shop").mkdir()
    init(plan_init(str(tmp_path / "shop"), named=True))
    return build_app(str(tmp_path / "shop"))


def bring_in(app: App, files: dict[str, bytes]) -> BundleImportResult:
    raw = made({**FIRST, **files}, key=load_share_key(app))
    with open_import(build_app(app.workspace), io.BytesIO(raw), BundleKeys()) as bundle:
        return bundle.go()


def ids(app: App) -> list[str]:
    return sorted(entry.memory.id for entry in build_app(app.workspace).index.select(Select()))


def is_quiet(app: App) -> bool:
    """Whether nothing is left of an import."""
    later = build_app(app.workspace)
    finish_imports(later)
    return not later.notices and os.listdir(os.path.join(app.folder, "state", "imports")) == ["lock"]


def a_file(path: str) -> Prepare:
    def make(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("here")

    return make


def a_folder(path: str) -> Prepare:
    return lambda root: (root / path).mkdir(parents=True)


def a_link(path: str) -> Prepare:
    def make(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root.parent.parent / "outside").mkdir()
        (root / path).symlink_to(root.parent.parent / "outside")

    return make


RECORDS = [
    (a_file("work/a"), "work/a/b.md"),
    (a_folder("work/a.md"), "work/a.md"),
    (a_folder("briefing.json"), "briefing.json"),
    (a_link("work"), "work/deep/b.md"),
    (a_folder("log/2026-01-02.md"), "log/2026-01-02.md"),
    (a_link("learning/signals/ratings.jsonl"), "learning/signals/ratings.jsonl"),
]


@pytest.mark.parametrize(("prepare", "path"), RECORDS, ids=[path for _, path in RECORDS])
def test_a_record_that_has_no_room_stays_out(app: App, tmp_path: Path, prepare: Prepare, path: str) -> None:
    prepare(Path(app.folder))

    done = bring_in(app, {path: b"came\n"})

    assert [step.id for step in done.plan.of(KEPT)] == [path]
    assert ids(app) == ["DEC-A"]
    assert Path(app.folder, "log", "2026-01-01.md").read_bytes() == b"- said\n"
    assert is_quiet(app)
    assert not any((tmp_path / "outside").glob("**/*"))


MEMORIES = [
    (a_file("memory/decisions/x"), "memory/decisions/x/DEC-B.md"),
    (a_folder("memory/decisions/DEC-B.md"), "memory/decisions/DEC-B.md"),
    (a_link("memory/decisions/DEC-B.md"), "memory/decisions/DEC-B.md"),
    (a_link("memory/foo"), "memory/foo/DEC-B.md"),
]


@pytest.mark.parametrize(("prepare", "path"), MEMORIES, ids=[path for _, path in MEMORIES])
def test_a_memory_that_has_no_room_gets_another(app: App, tmp_path: Path, prepare: Prepare, path: str) -> None:
    prepare(Path(app.folder))

    bring_in(app, {path: SECOND})

    assert ids(app) == ["DEC-A", "DEC-B"]
    assert is_quiet(app)
    assert not any((tmp_path / "outside").glob("**/*"))


def test_a_memory_that_has_room_nowhere_is_told(app: App) -> None:
    Path(app.folder, "memory").mkdir(exist_ok=True)
    Path(app.folder, "memory", "decisions").write_text("no folder")

    done = bring_in(app, {"memory/learnings/LRN-B.md": SECOND})

    assert [step.id for step in done.plan.of(REJECTED)] == ["DEC-A"]
    assert "stands in its way" in done.plan.of(REJECTED)[0].reason
    assert ids(app) == ["DEC-B"]
    assert is_quiet(app)


def test_what_comes_between_the_plan_and_its_end_is_left_alone(app: App) -> None:
    raw = made({**FIRST, "work/a/b.md": b"came\n", "memory/x/DEC-B.md": SECOND}, key=load_share_key(app))

    with open_import(build_app(app.workspace), io.BytesIO(raw), BundleKeys()) as bundle:
        a_file("work/a")(Path(app.folder))
        a_file("memory/x")(Path(app.folder))
        done = bundle.go()

    assert sorted(done.skipped) == ["memory/x/DEC-B.md", "work/a/b.md"]
    assert ids(app) == ["DEC-A"]
    assert is_quiet(app)
