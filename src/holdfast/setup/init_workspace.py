"""Making a folder a workspace."""

import os
import sys
import tempfile

from holdfast.app import FolderMissing, build_app, check_folder
from holdfast.clients.install.shim import build_shim, hook_path, write_shim
from holdfast.config.foreign_environment import check_home
from holdfast.core.errors import BadRequest
from holdfast.core.home import FOLDER, find_home, find_workspace
from holdfast.core.value import Value
from holdfast.core.word_lists import word_set
from holdfast.journal.change_log import note_change, notice_edits
from holdfast.records.vouch_sessions import vouch_existing
from holdfast.system.folders import SHARED_MODE, make_folder
from holdfast.system.package_files import package_root
from holdfast.system.safe_write import put_file
from holdfast.trust.allow import find_registration, read_visibility_status, register
from holdfast.trust.tracked_files import list_private
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


# Folders at the root that hold others' things, and may hold projects below.
HOLDERS = word_set(
    "home Users var opt srv mnt media tmp private Volumes Library Applications System usr etc bin sbin lib lib32 lib64 "
    "boot dev proc sys run root"
)
# A disk in memory, on which somebody may well work.
MEMORY_DISK = "/dev/shm/"  # noqa: S108  # asked about, not used
# Nothing below these is a project.
SYSTEM = (
    "/etc/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/boot/", "/dev/", "/proc/", "/sys/", "/System/",
    "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/include", "/usr/share",
)  # fmt: skip


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


class SystemFolderAsWorkspace(BadRequest):
    """A folder of the machine's, or the user's whole home: everything below it would be one workspace."""

    def __init__(self, folder: str, what: str) -> None:
        super().__init__(
            f"{folder!r} is {what}: all of it would be one workspace, captured and told to agents as one project.",
            "go into the project's own folder and run `holdfast init` there; what holds everywhere: "
            "`holdfast remember --scope user`.",
        )


class InitResult(Value):
    """What `init` would write (or wrote) where. `foreign` is what stands there by other hands.

    `vouched`: how many sessions, kept by clients before, count as the user's from now on.
    """

    app: App
    written: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    vouched: int = 0


def plan_init(folder: str, *, named: bool) -> App:
    """The app of the workspace to be, once it is clear that it can be one."""
    target = os.path.realpath(folder)
    if not os.path.isdir(target):
        raise FolderMissing(folder)
    place = os.path.join(target, FOLDER)
    if os.path.realpath(place) == os.path.realpath(find_home()):
        raise HomeAsWorkspace(target)
    if not os.path.isdir(place) and (what := describe_system_folder(target)):
        raise SystemFolderAsWorkspace(target, what)
    around = find_workspace(target)
    if around and around != target and not named:
        raise InsideWorkspace(target, around)
    if os.path.lexists(place):
        check_folder(place)
    app = build_app(target)
    check_home(app.home, target, target)
    need_person(app, "init")
    return app


def describe_system_folder(folder: str) -> str:
    """What a folder is that cannot be a project: the root, a home, a folder of the system's; else an empty text."""
    parent, name = os.path.split(folder)
    if folder == os.sep:
        return "the root of this machine's files"
    if folder in {os.path.realpath(os.path.expanduser("~")), "/root"} or parent in {"/home", "/Users"}:
        return "a home folder"
    if parent == os.sep and name in HOLDERS:
        return "a folder of the system"
    shared = {os.path.realpath(each) for each in ("/tmp", "/var/tmp", tempfile.gettempdir())}  # noqa: S108  # refused, not used
    if folder in shared:
        return "where all programs put what is temporary"
    if folder.startswith(SYSTEM) and not folder.startswith(MEMORY_DISK):
        return "a folder of the system"
    return ""


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
    # Before anything is looked at: what is derived of it is kept there too.
    before = list_private(app)
    written = list_files_to_write(app)
    make_folder(os.path.join(app.folder, "memory"), SHARED_MODE)
    if not _has_ignore_file(app):
        put_file(os.path.join(app.folder, ".gitignore"), build_ignore_text(app).encode(), private=False)
    write_shim(app.home, sys.executable, package_root())
    known = find_registration(app)
    foreign = read_visibility_status(app).new if known is None or not known.allowed else ()
    register(app, allowed=not foreign, capture=True, foreign=before)
    vouched = vouch_existing(app) if known is None else 0
    if written:
        note_change(app, "init", "workspace", after=", ".join(written))
    notice_edits(app)
    return InitResult(app=app, written=tuple(written), foreign=foreign, vouched=vouched)


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
