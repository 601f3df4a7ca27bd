"""The servers that a workspace is synced with: the user's own word, with tokens, in their home alone."""

import json
import os
from collections.abc import Mapping

from holdfast.core.value import Value, as_dict
from holdfast.system.safe_write import put_file

FOLDER = "remotes"


class Remote(Value):
    """A server and a workspace of it. `journal`: events are sent, runs, ratings and cost synced;
    `candidates`: what waits for review goes too.
    """

    name: str
    url: str
    token: str
    workspace: str
    journal: bool = True
    candidates: bool = False


def remotes_of(home: str, workspace_id: str) -> dict[str, Remote]:
    """The remotes of a workspace, by name; none where the file cannot be read."""
    try:
        with open(_path(home, workspace_id), encoding="utf-8") as file:
            held = json.load(file)
        return {str(name): _parse_remote(str(name), row) for name, row in held.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def save_remotes(home: str, workspace_id: str, found: Mapping[str, Remote]) -> None:
    """Write them down, for the user's eyes only."""
    rows = {name: {key: value for key, value in as_dict(each).items() if key != "name"} for name, each in found.items()}
    put_file(_path(home, workspace_id), (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())


def has_remotes(home: str, workspace_id: str) -> bool:
    """Whether there are any; cheap."""
    return os.path.exists(_path(home, workspace_id))


def _parse_remote(name: str, row: Mapping[str, object]) -> Remote:
    return Remote(
        name=name, url=str(row["url"]), token=str(row["token"]), workspace=str(row["workspace"]),
        journal=row.get("journal") is not False, candidates=row.get("candidates") is True,
    )  # fmt: skip


def _path(home: str, workspace_id: str) -> str:
    return os.path.join(home, FOLDER, f"{workspace_id}.json")
