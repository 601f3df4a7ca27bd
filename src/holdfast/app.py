"""Opening a workspace, and who may do what in it."""

import os
import stat
from collections.abc import Mapping

from holdfast.core.errors import BadRequest, NotFound, Refused
from holdfast.core.home import FOLDER
from holdfast.workspace import App, open_app

__all__ = [
    "App",
    "FolderMissing",
    "LinkInWorkspace",
    "NoWorkspace",
    "WorkspaceNotAFolder",
    "PersonOnly",
    "check_folder",
    "need_person",
    "open_memory",
]


class NoWorkspace(NotFound):
    """No workspace around this folder."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"There is no Holdfast workspace in {folder!r} or above it.",
            "run `holdfast init` in the folder that should have memory, or use --scope user for your own.",
        )


class WorkspaceNotAFolder(BadRequest):
    """`.holdfast` is something else than a folder."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is not a folder.", "move it away, then run `holdfast init`.")


class LinkInWorkspace(Refused):
    """A link where our files belong."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path!r} is a link; links in {FOLDER} are not followed.", "put the real file or folder there."
        )


class FolderMissing(NotFound):
    """The folder named does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no folder {path!r}.", "check the path given with -C.")


class PersonOnly(Refused):
    """A client's agent asked for what only a person may do."""

    def __init__(self, command: str, client: str) -> None:
        super().__init__(
            f"`holdfast {command}` is for a person, and this runs inside {client}.",
            f"ask the user to type it in a terminal of their own: holdfast {command}",
        )


def open_memory(start: str = "", flags: Mapping[str, str] | None = None, *, anywhere: bool = False) -> App:
    """The app for the workspace around a folder; with `anywhere`, the user's own memory where there is none."""
    folder = os.path.abspath(start or os.getcwd())
    if not os.path.isdir(folder):
        raise FolderMissing(folder)
    app = open_app(folder, flags)
    if not app.workspace and not anywhere:
        raise NoWorkspace(folder)
    if app.workspace:
        check_folder(os.path.join(app.workspace, FOLDER))
    return app


def need_person(app: App, command: str) -> None:
    """Refuse a client's agent."""
    if app.client:
        raise PersonOnly(command, app.client)


def check_folder(path: str) -> None:
    """Refuse what is no folder, and links in it: a repository could point our writes anywhere."""
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        raise WorkspaceNotAFolder(path)
    with os.scandir(path) as inside:
        for entry in inside:
            if entry.is_symlink():
                raise LinkInWorkspace(entry.path)
