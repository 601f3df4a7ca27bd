"""Where things are: our home folder, and the workspace around a folder. Standard library only, and little of it."""

import os
from collections.abc import Mapping

FOLDER = ".holdfast"


def environment() -> Mapping[str, str]:
    """The process's environment."""
    return os.environ


def home() -> str:
    """`HOLDFAST_HOME`, or `~/.holdfast`."""
    return os.path.abspath(os.path.expanduser(os.environ.get("HOLDFAST_HOME") or "~/.holdfast"))


def find_workspace(start: str) -> str:
    """The nearest folder from here up that has a `.holdfast`, or an empty text. Our home folder is none."""
    ours = os.path.realpath(home())
    folder = os.path.realpath(start)
    while True:
        marker = os.path.join(folder, FOLDER)
        if os.path.lexists(marker) and os.path.realpath(marker) != ours:
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
