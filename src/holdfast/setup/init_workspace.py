"""Making a folder a workspace."""

import os
import sys

from holdfast.app import FolderMissing, build_app, check_folder
from holdfast.clients.install.shim import build_shim, hook_path, write_shim
from holdfast.core.errors import BadRequest
from holdfast.core.home import FOLDER, find_home, find_workspace
from holdfast.core.value import Value
from holdfast.journal.change_log import note_change, notice_edits
from holdfast.system.package_files import package_root
from holdfast.system.safe_write import put_file
from holdfast.trust.allow import find_registration, read_visibility_status, register
from holdfast.workspace import App, need_person

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


class HomeAsWorkspace(BadRequest):
    """Our home folder would become a workspace."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder!r} holds your own memory ({FOLDER}), so it cannot be a workspace.",
            "run `holdfast init` in a project's folder; `remember --scope user` needs no workspace.",
        )


class InitResult(Value):
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
    if os.path.realpath(place) == os.path.realpath(find_home()):
        raise HomeAsWorkspace(target)
    around = find_workspace(target)
    if around and around != target and not named:
        raise InsideWorkspace(target, around)
    if os.path.lexists(place):
        check_folder(place)
    app = build_app(target)
    need_person(app, "init")
    return app


def list_files_to_write(app: App) -> list[str]:
    """The files `init` would write now."""
    files = [] if _has_ignore_file(app) else [f"{FOLDER}/.gitignore"]
    if find_registration(app) is None:
        files.append(f"{FOLDER}/state/workspace.json")
    if not _has_shim(app):
        files.append(hook_path(app.home))
    return files


def init(app: App) -> InitResult:
    """Make it a workspace. Memory that stands there already is somebody else's until the user allows it."""
    written = list_files_to_write(app)
    os.makedirs(os.path.join(app.folder, "memory"), exist_ok=True)
    if not _has_ignore_file(app):
        put_file(os.path.join(app.folder, ".gitignore"), build_ignore_text(app).encode(), private=False)
    write_shim(app.home, sys.executable, package_root())
    known = find_registration(app)
    foreign = read_visibility_status(app).new if known is None or not known.allowed else ()
    register(app, allowed=not foreign, capture=True)
    if written:
        note_change(app, "init", "workspace", after=", ".join(written))
    notice_edits(app)
    return InitResult(app=app, written=tuple(written), foreign=foreign)


def build_ignore_text(app: App) -> str:
    """What `.holdfast/.gitignore` says."""
    return IGNORE + (IGNORE_CANDIDATES if app.settings["candidates.commit"] else "")


def _has_shim(app: App) -> bool:
    try:
        with open(hook_path(app.home), "rb") as file:
            return file.read() == build_shim(sys.executable, package_root())
    except OSError:
        return False


def _has_ignore_file(app: App) -> bool:
    try:
        with open(os.path.join(app.folder, ".gitignore"), encoding="utf-8") as file:
            return file.read() == build_ignore_text(app)
    except (OSError, UnicodeDecodeError):
        return False
