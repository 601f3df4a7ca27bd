"""Which teams of which databases a workspace was synced with: kept in the user's home, not in the repository.

The first one is meant wherever none is named; all of them may hold what came from here.
"""

import json
import os
from urllib.parse import urlsplit, urlunsplit

from holdfast.config.teams import FOLDER
from holdfast.core.value import Value, as_dict
from holdfast.system.safe_write import put_file

ENDING = ".used"


class UsedTeamDatabase(Value):
    """A project of a team in a database, and who we were there. `url`: as given, with its password if it had one."""

    url: str
    team: str
    project: str
    person: str = ""


def read_used_databases(home: str, workspace_id: str) -> list[UsedTeamDatabase]:
    """Every one, the first of them first; none where the file cannot be read."""
    try:
        with open(used_databases_path(home, workspace_id), encoding="utf-8") as file:
            rows = json.load(file)["used"]
        return [
            UsedTeamDatabase(**{name: str(row.get(name, "")) for name in UsedTeamDatabase.__annotations__})
            for row in rows
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []


def save_used_database(home: str, workspace_id: str, found: UsedTeamDatabase) -> None:
    """Write one down, before anything goes there. Its address may be a new one of the same database."""
    known = read_used_databases(home, workspace_id)
    if found in known:
        return
    places = [_place(each) for each in known]
    if _place(found) in places:
        known[places.index(_place(found))] = found
    else:
        known.append(found)
    held = {"v": 1, "used": [as_dict(each) for each in known]}
    put_file(used_databases_path(home, workspace_id), (json.dumps(held, indent=1, ensure_ascii=False) + "\n").encode())


def used_databases_path(home: str, workspace_id: str) -> str:
    """The file that says so."""
    return os.path.join(home, FOLDER, f"{workspace_id}{ENDING}")


def is_same_database(one: str, other: str) -> bool:
    """Whether two addresses differ in the password at most."""
    return strip_password(one) == strip_password(other)


def strip_password(url: str) -> str:
    """An address that may be shown; empty where it cannot be told apart."""
    try:
        parts = urlsplit(url)
        if parts.password is None:
            return url
    except ValueError:
        return ""
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}@{host}"))


def _place(used: UsedTeamDatabase) -> tuple[str, str, str]:
    return strip_password(used.url), used.team, used.project
