"""An install without any extra: every verb of memory works by words alone, the rest says what to install."""

import os
from pathlib import Path
from typing import Any

import pytest

EXTRAS = (
    "numpy", "wordllama", "psycopg", "psycopg_pool", "fastapi", "uvicorn", "websockets", "mcp", "textual", "obstore",
    "pyrage", "zstandard", "msgspec", "re2", "onnxruntime", "tokenizers",
)  # fmt: skip
HIDING = f"""\
from importlib.machinery import PathFinder
real = PathFinder.find_spec
def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in {EXTRAS!r} else real(name, path, target)
PathFinder.find_spec = staticmethod(find_spec)
"""


@pytest.fixture
def bare(holdfast: Any, tmp_path: Path) -> Any:
    """The command in a workspace with a decision, where no package of an extra is found."""
    hiding = tmp_path / "hiding"
    hiding.mkdir()
    (hiding / "sitecustomize.py").write_text(HIDING)
    path = os.pathsep.join([str(hiding), os.environ.get("PYTHONPATH", "")])
    kept = ("decision", "Use Textual for the TUI", "--choice", "Textual", "--rejected", "curses: no layout engine")
    assert holdfast("remember", *kept).status == 0
    return lambda *words, **more: holdfast(*words, env={"PYTHONPATH": path}, **more)


def test_memory_works_by_words_alone(bare: Any) -> None:
    assert "Textual" in bare("search", "tui toolkit textual").out
    nothing = bare("search", "which screen library")
    assert nothing.status == 1
    assert "by words alone" in nothing.err
    assert bare("propose", "decision", "Use curses for the TUI", "--choice", "curses").status == 0
    assert "contradicts" in bare("list", "--candidates").out
    assert bare("check", "--memories").status == 1
    assert bare("accept", "--all").status == 4
    for words in (
        ["search", "--explain", "which screen library"], ["pack", "a tui"], ["check", "--text", "add curses"],
        ["curate"], ["doctor"], ["status"], ["doctor", "--verify"], ["doctor", "--rebuild"], ["timeline"],
        ["render", "--dry-run"],
        ["forget", "--text", "Textual", "--purge", "--yes"], ["forget", "--project", "--yes"],
    ):  # fmt: skip
        done = bare(*words)
        assert "Traceback" not in done.err, words
        assert done.status in (0, 1), (words, done.err)


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (["search", "tui", "--recipe", "default"], "numpy"),
        (["export", "memory.tar.zst"], "zstandard"),
        (["serve", "--port", "0"], "fastapi"),
        (["mcp"], "mcp"),
        (["sync", "database", "push", "--database", "postgresql://nobody@127.0.0.1:1/none"], "psycopg"),
        (["export", "s3://bucket/memory"], "obstore"),
    ],
)
def test_what_needs_an_extra_says_what_to_install(bare: Any, words: list[str], package: str) -> None:
    done = bare(*words)

    assert done.status == 6, done.err
    assert "Traceback" not in done.err
    assert package in done.err
