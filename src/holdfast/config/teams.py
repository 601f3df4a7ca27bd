"""Which team a workspace belongs to: the user's own word, kept in their home and never in the repository."""

import json
import os

from holdfast.core.value import Value, as_dict
from holdfast.system.safe_write import put_file

FOLDER = "workspaces"
TEAMS = "teams"
ENDING = ".team"
AT_FOLDER, AT_GIT, AT_SERVER, AT_DATABASE = "folder", "git", "server", "database"
KINDS = (AT_FOLDER, AT_GIT, AT_SERVER, AT_DATABASE)


class Membership(Value):
    """A team that a workspace takes part in. `root` holds its memory here; `source` is where that comes from.

    Of a server: `workspace` is the one there that holds the team's memory, and `token` lets us in.
    """

    name: str
    kind: str
    root: str
    source: str = ""
    person: str = ""
    joined: str = ""
    workspace: str = ""
    token: str = ""


def team_of(home: str, workspace_id: str) -> Membership | None:
    """The team of a workspace, or None. A row that cannot be read is none: nobody joins by accident."""
    try:
        with open(team_path(home, workspace_id), encoding="utf-8") as file:
            held = json.load(file)
        found = Membership(**{name: str(held.get(name, "")) for name in Membership.__annotations__})
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return found if found.kind in KINDS and os.path.isabs(found.root) else None


def save_team(home: str, workspace_id: str, found: Membership) -> None:
    """Join."""
    put_file(team_path(home, workspace_id), (json.dumps(as_dict(found), indent=1, ensure_ascii=False) + "\n").encode())


def drop_team(home: str, workspace_id: str) -> None:
    """Leave; the team's files stay where they are."""
    path = team_path(home, workspace_id)
    if os.path.lexists(path):
        os.unlink(path)


def teams_of(home: str) -> dict[str, Membership]:
    """The teams of all workspaces of a home, by the workspace's id."""
    try:
        names = sorted(os.listdir(os.path.join(home, FOLDER)))
    except FileNotFoundError:
        return {}
    ids = [name.removesuffix(ENDING) for name in names if name.endswith(ENDING)]
    return {each: found for each in ids if (found := team_of(home, each)) is not None}


def has_other_members(home: str, root: str, workspace_id: str) -> bool:
    """Whether another workspace takes part in the team whose memory lies in a folder."""
    return any(found.root == root for each, found in teams_of(home).items() if each != workspace_id)


def team_path(home: str, workspace_id: str) -> str:
    """The file that says so."""
    return os.path.join(home, FOLDER, f"{workspace_id}{ENDING}")


class TeamHere(Value):
    """A team whose memory this server offers, and the workspace that holds it."""

    name: str
    workspace: str
