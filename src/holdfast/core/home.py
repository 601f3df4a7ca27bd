"""Where things are: our home folder, and the workspace around a folder. Standard library only, and little of it."""

import os
from collections.abc import Mapping

from holdfast.core.errors import BadRequest

FOLDER = ".holdfast"
MIRRORS = "mirrors"


class RelativeHome(BadRequest):
    """A home folder that would be another one in every folder."""

    def __init__(self, path: str) -> None:
        super().__init__(f"HOLDFAST_HOME is {path!r}, which is relative.", "give its whole path.")


def read_environment() -> Mapping[str, str]:
    """The process's environment."""
    return os.environ


def find_home() -> str:
    """`HOLDFAST_HOME`, or `~/.holdfast`."""
    path = os.path.expanduser(os.environ.get("HOLDFAST_HOME") or "~/.holdfast")
    if not os.path.isabs(path):
        raise RelativeHome(path)
    return os.path.normpath(path)


def is_server_copy(home_folder: str, workspace: str) -> bool:
    """Whether a workspace is a server's copy of a team's project: those lie in the home folder of who keeps it."""
    return bool(workspace) and os.path.realpath(workspace).startswith(
        os.path.join(os.path.realpath(home_folder), MIRRORS, "")
    )


def find_workspace(start: str) -> str:
    """The nearest folder from here up that has a `.holdfast`, or an empty text. Our home folder is none."""
    ours = os.path.realpath(find_home())
    folder = os.path.realpath(start)
    while True:
        marker = os.path.join(folder, FOLDER)
        if os.path.lexists(marker) and os.path.realpath(marker) != ours:
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


# The guard's policy of the user's own, in our home.
OWN_POLICY = "guard.toml"
