"""Making a folder a workspace."""

import os
import sys

from holdfast.app import FolderMissing, check_folder, need_person
from holdfast.clients.install.shim import hook_path, shim_text, write_shim
from holdfast.core.errors import BadRequest
from holdfast.core.home import FOLDER, find_workspace, home
from holdfast.core.value import Value
from holdfast.journal.change_log import note_change, notice_edits
from holdfast.system.package_files import package_root
from holdfast.system.safe_write import put_file
from holdfast.trust.allow import register, registered, standing
from holdfast.workspace import App

IGNORE = """\
# Written by `holdfast init`: git sees memory, team and config.toml, and nothing that was captured.
/*
!/.gitignore
!/config.toml
!/memory/
!/team/
.*
!.gitignore
"""
IGNORE_CANDIDATES = "!/candidates/\n"


class InsideWorkspace(BadRequest):
    """A workspace is around this folder already."""

    def __init__(self, folder: str, around: str) -> None:
        super().__init__(
            f"{folder!r} belongs to the workspace {around!r}.",
            f"work in that one, or name this folder to give it memory of its own: holdfast init {folder}",
        )


class HomeItself(BadRequest):
    """Our home folder would become a workspace."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder!r} holds your own memory ({FOLDER}), so it cannot be a workspace.",
            "run `holdfast init` in a project's folder; `remember --scope user` needs no workspace.",
        )


class SetUp(Value):
    """What `init` would write (or wrote) where. `foreign` are memories that stand there by other hands."""

    app: App
    written: tuple[str, ...]
    foreign: tuple[str, ...] = ()


def plan_init(folder: str, *, named: bool) -> App:
    """The app of the workspace to be, once it is clear that it can be one."""
    target = os.path.realpath(folder)
    if not os.path.isdir(target):
        raise FolderMissing(folder)
    place = os.path.join(target, FOLDER)
    if os.path.realpath(place) == os.path.realpath(home()):
        raise HomeItself(target)
    around = find_workspace(target)
    if around and around != target and not named:
        raise InsideWorkspace(target, around)
    if os.path.lexists(place):
        check_folder(place)
    app = App(target)
    need_person(app, "init")
    return app


def to_write(app: App) -> list[str]:
    """The files `init` would write now."""
    files = [] if _ignore_is_there(app) else [f"{FOLDER}/.gitignore"]
    if registered(app) is None:
        files.append(f"{FOLDER}/state/workspace.json")
    if not _shim_is_there(app):
        files.append(hook_path(app.home))
    return files


def init(app: App) -> SetUp:
    """Make it a workspace. Memory that stands there already is somebody else's until the user allows it."""
    written = to_write(app)
    os.makedirs(os.path.join(app.folder, "memory"), exist_ok=True)
    if not _ignore_is_there(app):
        put_file(os.path.join(app.folder, ".gitignore"), ignore_text(app).encode(), private=False)
    write_shim(app.home, sys.executable, package_root())
    known = registered(app)
    foreign = standing(app).new if known is None or not known.allowed else ()
    register(app, allowed=not foreign, capture=True)
    if written:
        note_change(app, "init", "workspace", after=", ".join(written))
    notice_edits(app)
    return SetUp(app=app, written=tuple(written), foreign=foreign)


def ignore_text(app: App) -> str:
    """What `.holdfast/.gitignore` says."""
    return IGNORE + (IGNORE_CANDIDATES if app.settings["candidates.commit"] else "")


def _shim_is_there(app: App) -> bool:
    try:
        with open(hook_path(app.home), "rb") as file:
            return file.read() == shim_text(sys.executable, package_root())
    except OSError:
        return False


def _ignore_is_there(app: App) -> bool:
    try:
        with open(os.path.join(app.folder, ".gitignore"), encoding="utf-8") as file:
            return file.read() == ignore_text(app)
    except (OSError, UnicodeDecodeError):
        return False
