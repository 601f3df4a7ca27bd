"""Memories that changed are compared with the others by a process of their own: nobody waits for it.

Whatever changed them (a command, a sync, an import, git, an editor) is seen by the index, which starts it.
"""

import os
import time
from typing import TYPE_CHECKING

from holdfast.core.errors import HoldfastError
from holdfast.system.background import start_background
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.system.safe_write import put_file

if TYPE_CHECKING:
    from holdfast.workspace import App

# A process that compares is started no more often than this; what changes meanwhile waits for the next command.
AGAIN_SECONDS = 20


def start_comparing(app: "App") -> bool:
    """Start a process that compares what was not compared yet, if the user wants that; it ends by itself."""
    if not app.settings["embed.auto"] or not app.workspace or app.client or not app.keeps_index:
        return False
    mark = os.path.join(app.folder, "state", "comparing")
    try:
        if time.time() - os.lstat(mark).st_mtime < AGAIN_SECONDS:
            return False
    except OSError:
        pass
    if not _leave_mark(app, mark):
        return False
    start_background(app.home, app.workspace, "check", "--quiet")
    return True


def _leave_mark(app: "App", mark: str) -> bool:
    try:
        # A repository may bring a link of that name: it is replaced, and never followed.
        with open_folder(WritableFolder(root=app.folder, private=True), ("state",), make=True):
            put_file(mark, b"")
    except (HoldfastError, OSError):
        return False
    return True
