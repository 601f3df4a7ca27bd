"""Whatever a run did, by tools and by commands, undoing it gives back the very tree: bytes, modes, empty folders."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.act.execute.edit_log import EditLog
from holdfast.act.execute.undo_run import RunChangedNothing, undo_run
from holdfast.act.execute.workspace_files import Files
from holdfast.core.errors import HoldfastError
from holdfast.system.safe_fs import SafeFolder

from tests.unit.act.execute.hands import RUN, tree  # isort: skip

NAMES = ("a", "b", "d", "d/e", "d/f", "g", "g/h", "g/h/i")
TEXTS = ("", "one\n", "one\ntwo\n", "\r\nx\r\n", "\ufeffmark\n", "no end", "ü\n")
paths = st.sampled_from(NAMES)
texts = st.sampled_from(TEXTS)
# By a tool of ours: a whole file, a piece of it, its end. By a command, behind our back: anything.
steps = st.one_of(
    st.tuples(st.just("write"), paths, texts),
    st.tuples(st.just("edit"), paths, texts),
    st.tuples(st.just("delete"), paths, texts),
    st.tuples(st.just("command"), st.lists(st.tuples(
        st.sampled_from(("put", "rm", "mkdir", "move", "chmod", "link", "cut")), paths, paths, texts
    ), max_size=4), st.booleans()),
)  # fmt: skip


@contextmanager
def workspace() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def behind(root: Path, how: str, path: Path, other: Path, text: str) -> None:
    with suppress(OSError, shutil.Error):
        match how:
            case "put":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
            case "rm":
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            case "mkdir":
                path.mkdir(parents=True)
            case "move":
                os.rename(path, other)
            case "chmod":
                path.chmod(0o711 if path.is_dir() else 0o640)
            case "link":
                path.symlink_to(text or "nowhere")
            case _:
                os.truncate(path, 1)


def carried_out(root: Path, below: SafeFolder, log: EditLog, files: Files, step: tuple[object, ...]) -> None:
    match step:
        case ("write", str(path), str(text)):
            files.commit([files.written(path, text)], tool="write")
        case ("edit", str(path), str(text)):
            files.commit([files.edited(path, "one", text)], tool="edit")
        case ("delete", str(path), _):
            files.commit(files.patched(f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"), tool="patch")
        case ("command", list(acts), _):
            log.begin_command("x", "")
            for how, path, other, text in acts:
                behind(root, how, root / path, root / other, text)
            log.end_command("", "run")


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    start=st.lists(st.tuples(st.sampled_from(("put", "mkdir", "chmod", "link")), paths, texts), max_size=6),
    sessions=st.lists(st.lists(steps, max_size=5), min_size=1, max_size=2),
)
def test_undo_gives_the_very_tree_back(
    start: list[tuple[str, str, str]], sessions: list[list[tuple[object, ...]]]
) -> None:
    with workspace() as root:
        for how, path, text in start:
            behind(root, how, root / path, root / path, text)
        before = tree(root)
        for acts in sessions:
            below = SafeFolder(str(root))
            log = EditLog(below, RUN)
            files = Files(below, log, lambda *_: ())
            for step in acts:
                with suppress(HoldfastError):
                    carried_out(root, below, log, files, step)
            log.close()
            below.close()

        with suppress(RunChangedNothing):
            undo_run(str(root), RUN)

        assert tree(root) == before


@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=st.lists(steps, min_size=1, max_size=6), cut=st.integers(0, 12))
def test_an_undo_that_is_cut_short_can_be_finished(acts: list[tuple[object, ...]], cut: int) -> None:
    with workspace() as root:
        for name, text in (("a", "one\n"), ("d/e", "one\ntwo\n"), ("g/h/i", "x")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        before = tree(root)
        below = SafeFolder(str(root))
        log = EditLog(below, RUN)
        files = Files(below, log, lambda *_: ())
        for step in acts:
            with suppress(HoldfastError):
                carried_out(root, below, log, files, step)
        log.close()
        below.close()

        with suppress(RunChangedNothing, Cut):
            cut_short(root, cut)
        with suppress(RunChangedNothing):
            undo_run(str(root), RUN)

        assert tree(root) == before


class Cut(Exception):
    pass


def cut_short(root: Path, after: int) -> None:
    """An undo that ends in the middle, after so many changes of the disk."""
    left = [after]
    kept = {name: getattr(SafeFolder, name) for name in ("put", "remove", "make_folder", "set_mode", "put_link")}

    def counted(name: str) -> object:
        def step(self: SafeFolder, parts: tuple[str, ...], *given: object, **more: object) -> object:
            if parts[0] != ".holdfast":
                left[0] -= 1
                if left[0] < 0:
                    raise Cut
            return kept[name](self, parts, *given, **more)

        return step

    try:
        for name in kept:
            setattr(SafeFolder, name, counted(name))
        undo_run(str(root), RUN)
    finally:
        for name, method in kept.items():
            setattr(SafeFolder, name, method)
