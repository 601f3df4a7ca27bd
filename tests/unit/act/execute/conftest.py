"""What the tests of hands share."""

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a few files."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/app.py").write_text("import os\n\n\ndef main():\n    return 1\n")
    (folder / "README.md").write_text("# A project\n")
    return folder
