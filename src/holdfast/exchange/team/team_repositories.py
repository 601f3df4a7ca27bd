"""A team's memory that lies in files: what the team is called there, and a clone of its own for each repository."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.config.teams import AT_GIT, Membership
from holdfast.core.errors import BadRequest, Conflict, HoldfastError, NotFound
from holdfast.exchange.git_remote import TEAM_FILE, clone_repository, is_repository, pull_if_clean, read_origin
from holdfast.exchange.team.team_places import team_root_path
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

__all__ = [
    "BadTeamName",
    "NotATeam",
    "begin_team",
    "check_team",
    "check_team_name",
    "name_from_source",
    "open_clone",
    "read_team_name",
]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LARGEST = 4096


class BadTeamName(BadRequest):
    """A name that a team cannot have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} cannot be a team's name.", "use letters, digits, dots and dashes.")


class NotATeam(NotFound):
    """Nothing there that a team left."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"There is no team's memory at {place!r}.",
            "name a folder that has `memory/`, or a repository to clone; `holdfast team init NAME SOURCE` begins one.",
        )


class OtherTeamThere(Conflict):
    """A place that is another team's."""

    def __init__(self, place: str, name: str) -> None:
        super().__init__(f"{place!r} is the team {name!r} already.", "join it: `holdfast team join`; or name another.")


class OtherOrigin(Conflict):
    """A clone of ours that fetches from elsewhere by now."""

    def __init__(self, root: str, found: str, wanted: str) -> None:
        super().__init__(
            f"The clone in {root!r} fetches from {found!r}, not from {wanted!r}.",
            f"move that folder away, or set it: git -C {root} remote set-url origin {wanted}",
        )


def check_team_name(name: str) -> None:
    """Raise BadTeamName."""
    if not NAME.fullmatch(name):
        raise BadTeamName(name)


def read_team_name(root: str) -> str:
    """What the team in a folder is called by those who began it; empty where nobody said."""
    try:
        # Other people's file: no link of theirs is followed, and nothing is waited for.
        unfollowed = os.open(os.path.join(root, TEAM_FILE), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(unfollowed, "rb") as file:
            held = json.loads(file.read(LARGEST))
    except (OSError, ValueError):
        return ""
    name = held.get("name") if isinstance(held, dict) else None
    return name if isinstance(name, str) and NAME.fullmatch(name) else ""


def begin_team(root: str, name: str, place: str) -> None:
    """Say in a folder which team's it is: something to share before there is a memory. Raises OtherTeamThere."""
    known = read_team_name(root)
    if known and known != name:
        raise OtherTeamThere(place or root, known)
    os.makedirs(os.path.join(root, "memory"), exist_ok=True)
    if not known:
        put_file(os.path.join(root, TEAM_FILE), (json.dumps({"v": 1, "name": name}) + "\n").encode(), private=False)


def check_team(root: str, place: str) -> None:
    """Raise NotATeam, unless a team's memory is there, or is to be."""
    if not os.path.isdir(os.path.join(root, "memory")) and not read_team_name(root):
        raise NotATeam(place)


@contextmanager
def open_clone(app: App, source: str) -> Iterator[Membership]:
    """A repository's clone, up to date; gone again if it was made now and what follows fails.

    Each repository has a folder of its own, whatever it is called: two that are called the same are never mixed.
    """
    if os.path.lexists(source) and not os.path.isdir(source):
        raise NotATeam(source)
    place = os.path.realpath(source) if os.path.isdir(source) else source
    root = team_root_path(app, name_from_source(place), place, "git")
    new = not is_repository(root)
    try:
        if new:
            clone_repository(place, root)
        elif (found := read_origin(root)) != place:
            raise OtherOrigin(root, found, place)
        else:
            pull_if_clean(root)
        yield Membership(name=read_team_name(root) or name_from_source(place), kind=AT_GIT, root=root, source=place)
    except HoldfastError:
        if new:
            shutil.rmtree(root, ignore_errors=True)
        raise


def name_from_source(source: str) -> str:
    """A team's name by the place it lies in."""
    last = re.split(r"[/:\\]", source.rstrip("/").removesuffix(".git"))[-1]
    return last if NAME.fullmatch(last) else "team"
