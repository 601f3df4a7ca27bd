"""Which paths a tool call touches."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.guard.touched_paths import find_prose_paths, find_touched_paths


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "src/db").mkdir(parents=True)
    (tmp_path / "src/db/pool.py").write_text("")
    (tmp_path / "setup.cfg").write_text("")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"file_path": "src/db/pool.py"}, ("src/db/pool.py",)),
        ({"path": "../elsewhere/x.py"}, ()),
        ({"path": "."}, ()),
        ({"edits": [{"file_path": "a/b.py"}, {"file_path": "a/c.py"}]}, ("a/b.py", "a/c.py")),
        ({"paths": ["a/b.py", 3]}, ("a/b.py",)),
        ({"command": "rm src/app/x.py"}, ("src/app/x.py",)),
        ({"command": "pytest tests/api::test_x setup.cfg"}, ("tests/api", "setup.cfg")),
        ({"command": "sed -i s/a/b/ src/db/pool.py"}, ("s/a/b", "src/db/pool.py")),
        ({"command": "rm -rf src"}, ("src/",)),
        ({"command": "ls src"}, ("src",)),
        ({"command": "echo src/db/pool.py"}, ()),
        ({"command": "echo x > src/db/out"}, ("src/db/out",)),
        ({"command": "cd src/db && rm pool.py"}, ("src/db/pool.py",)),
        ({"command": "curl https://example.invalid/a/b"}, ()),
        ({"command": "vim src/db/pool.py:12"}, ("src/db/pool.py",)),
        ({"command": "tool --file=src/db/pool.py"}, ("src/db/pool.py",)),
        ({"command": "rm nothing-there $HOME/x ~/y"}, ()),
        ({"command": ["bash", "-lc", "rm src/db/pool.py"]}, ("src/db/pool.py",)),
        ({"command": ["rm", "src/db/pool.py"]}, ("src/db/pool.py",)),
        ({"input": "*** Begin Patch\n*** Update File: a/b.py\n*** Move to: a/c.py\n"}, ("a/b.py", "a/c.py")),
        ("*** Begin Patch\n*** Add File: new.py\n+x\n*** Delete File: old.py\n", ("new.py", "old.py")),
        (None, ()),
        (["x"], ()),
    ],
)  # fmt: skip
def test_paths_are_found(root: str, given: Any, paths: tuple[str, ...]) -> None:
    assert find_touched_paths(given, root, root) == paths


def test_from_a_folder_below_paths_are_still_told_from_the_root(root: str) -> None:
    assert find_touched_paths({"file_path": "pool.py"}, f"{root}/src/db", root) == ("src/db/pool.py",)


def test_prose_names_paths_too(root: str) -> None:
    text = "Why does `src/db/pool.py` (see setup.cfg, and e.g. v1.2) time out? Either/or, 3/4, https://x.invalid/y."

    assert find_prose_paths(text, root, root)[:2] == ("src/db/pool.py", "setup.cfg")
    assert find_prose_paths("nothing here. At all.", root, root) == ()
