"""What holds in a process that is a hook's alone, from the moment that it loads more than capture needs.

Nothing that lies where our files belong is opened unless it is a plain file or a folder: a pipe would be waited for.
One door for all that reads and writes here, however many modules do: Python asks it before it opens anything.
"""

import errno
import os
import stat
import sys
from typing import Any

from holdfast.journal.journal_folder import WAITS
from holdfast.system.safe_write import share_waits


def settle_in(*folders: str) -> None:
    """Refuse special files below some folders of ours, and wait for no lock longer than a hook may."""
    share_waits(WAITS)
    ours = tuple(f"{folder}/" for folder in folders)

    def ask(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            _refuse_special(arguments[0], ours)

    sys.addaudithook(ask)


def _refuse_special(path: object, ours: tuple[str, ...]) -> None:
    if not isinstance(path, str) or not path.startswith(ours):
        return
    try:
        kind = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise OSError(errno.EINVAL, "it is no plain file", path)
