"""Candidates as files that Holdfast wrote: put there by a test, and noted as Holdfast notes its own."""

import os
from hashlib import sha256
from pathlib import Path

from holdfast.config.registry import Registry
from holdfast.workspace import make_workspace_id


def write_candidate(folder: Path, name: str, text: str, home: Path | None = None) -> Path:
    """A candidate of a workspace, as Holdfast would have written it; noted in this home, else in the test's own."""
    path = folder / ".holdfast/candidates" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    note_candidate(folder, path, home)
    return path


def note_candidate(folder: Path, path: Path, home: Path | None = None) -> None:
    """Note a candidate's file as one that Holdfast wrote."""
    workspace = make_workspace_id(os.path.realpath(folder))
    Registry(str(home or os.environ["HOLDFAST_HOME"])).note_proposed(workspace, [sha256(path.read_bytes()).hexdigest()])
