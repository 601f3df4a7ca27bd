"""Events that came by a bundle have another id here: where the one that a memory names went to."""

import os
from collections.abc import Iterable

from holdfast.core.ids import ULID_LENGTH
from holdfast.system.folders import open_own_file
from holdfast.workspace import App

PLACE = os.path.join("state", "share", "events")
LINE = 2 * ULID_LENGTH + 2


def note_imported_ids(root: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Note which event became which. Lost, it costs the way from evidence to its conversation."""
    lines = "".join(f"{old} {new}\n" for old, new in pairs)
    if not lines:
        return
    path = os.path.join(root, PLACE)
    fd = open_own_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(fd, lines.encode())
    finally:
        os.close(fd)


def find_local_id(app: App, event_id: str) -> str:
    """The id that an event has here; empty where it did not come by a bundle."""
    wanted = f"{event_id} ".encode()
    try:
        with open(open_own_file(os.path.join(app.folder, PLACE), os.O_RDONLY), "rb") as file:
            for line in file:
                if line.startswith(wanted) and len(line) == LINE:
                    return line[ULID_LENGTH + 1 : -1].decode("ascii", "replace")
    except OSError:
        return ""
    return ""
