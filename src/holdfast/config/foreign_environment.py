"""What a repository sets for us over a client's settings or an environment file: it may not move our home or our rules.

Clients put variables that a repository's own files name into the environment of what they run. None of that is asked
for here: only whether a variable that counts is named in such a file.
"""

import os

from holdfast.core.errors import Refused
from holdfast.core.home import FOLDER, read_environment
from holdfast.system.folders import read_own_file

HOME = "HOLDFAST_HOME"
GIT = ".git"
MOST = 1 << 20
# Files of a repository from which clients take variables, for themselves or for what they start.
CLIENT_FILES = (
    ".claude/settings.json", ".claude/settings.local.json", ".gemini/.env", ".gemini/settings.json",
    ".codex/config.toml", "opencode.json", "opencode.jsonc", ".mcp.json", ".cursor/mcp.json",
)  # fmt: skip
# What others read too, and people for their own shell: it counts where it holds the very value.
SHARED_FILES = (".env",)


class HomeOfRepository(Refused):
    """A home folder that a repository brings, or names."""

    def __init__(self, home: str, why: str) -> None:
        super().__init__(
            f"{HOME} is {home!r}, and {why}: what lies there would count as your own memory and settings.",
            f"unset {HOME}, or name a folder of your own outside of every project.",
        )


class HomeOfOthers(Refused):
    """A home folder that belongs to another user."""

    def __init__(self, home: str) -> None:
        super().__init__(
            f"The home folder {home!r} belongs to another user of this machine.",
            f"name a folder of your own in {HOME}, or unset it.",
        )


def check_home(home: str, start: str, workspace: str = "") -> None:
    """Refuse a home that is not the user's own, as far as its place tells. `start`: the folder that is worked in."""
    real = os.path.realpath(home)
    if around := _find_workspace_around(real):
        raise HomeOfRepository(home, f"that is inside the workspace {around!r}")
    if around := _find_repository_around(real, os.path.realpath(start)):
        raise HomeOfRepository(home, f"that is inside the repository {around!r}")
    if read_environment().get(HOME) and (file := find_foreign_file(workspace, HOME)):
        raise HomeOfRepository(home, f"{file!r} in this repository names it")
    _check_owner(home)


def find_foreign_file(workspace: str, variable: str) -> str:
    """The file of a repository that sets a variable for clients; empty where none does."""
    value = read_environment().get(variable, "")
    for name in (*CLIENT_FILES, *SHARED_FILES) if workspace and value else ():
        text = read_own_file(os.path.join(workspace, name), MOST) or b""
        if os.fsencode(variable) in text and (name in CLIENT_FILES or os.fsencode(value) in text):
            return name
    return ""


def _find_workspace_around(home: str) -> str:
    """The workspace that a home lies in; a folder that holds only a home is none."""
    homes = {home, os.path.realpath(os.path.expanduser(f"~/{FOLDER}"))}
    for folder in _list_above(home):
        marker = os.path.join(folder, FOLDER)
        if os.path.lexists(marker) and os.path.realpath(marker) not in homes:
            return folder
    return ""


def _find_repository_around(home: str, start: str) -> str:
    """The repository that holds both a home and the folder that is worked in."""
    for folder in _list_above(home):
        if os.path.lexists(os.path.join(folder, GIT)) and os.path.join(start, "").startswith(os.path.join(folder, "")):
            return "" if home == os.path.realpath(os.path.expanduser(f"~/{FOLDER}")) else folder
    return ""


def _list_above(path: str) -> list[str]:
    found = []
    while (above := os.path.dirname(path)) != path:
        found.append(above)
        path = above
    return found


def _check_owner(home: str) -> None:
    """Root may use whatever it is given: in containers, folders of the host's users."""
    try:
        owner = os.stat(home).st_uid
    except OSError:
        return
    if os.geteuid() and owner not in {os.geteuid(), 0}:
        raise HomeOfOthers(home)
