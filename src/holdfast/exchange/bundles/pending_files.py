"""Files of memory that an import would write: their new bytes lie beside the bundle, none of them in place yet."""

import os
import stat
from hashlib import sha256

from holdfast.core.errors import Conflict
from holdfast.core.memory import Scope
from holdfast.core.value import Value
from holdfast.exchange.bundles.import_plan import BundleFileChange
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import read_file
from holdfast.workspace import App


class ImportPathBlocked(Conflict):
    """Something else stands where a file should go."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} stands in its way", "move it away, and import again.")


class _After(Value):
    """What a file will hold: whose it is, the sum, and where the bytes lie; empty: it goes."""

    id: str
    sum: str
    place: str


class PendingFiles:
    """Files as they will be, where an import changes them, else as they are."""

    def __init__(self, app: App, folder: str) -> None:
        self._app, self._folder = app, folder
        self._after: dict[tuple[str, str], _After] = {}
        self._written = 0

    def put(self, scope: str, path: str, memory_id: str, data: bytes, staged: str = "") -> None:
        """A file shall hold these bytes, which may lie on disk already. Raises InTheWay."""
        if way := self.in_the_way(scope, path):
            raise ImportPathBlocked(way)
        self._after[(scope, path)] = _After(id=memory_id, sum=sum_of(data), place=staged or self._stage(data))

    def drop(self, scope: str, path: str, memory_id: str) -> None:
        """A file shall go."""
        self._after[(scope, path)] = _After(id=memory_id, sum="", place="")

    def current(self, scope: str, path: str) -> bytes | None:
        """What a file holds by now."""
        held = self._after.get((scope, path))
        if held is None:
            return read_file(WritableFolder(root=root_of(self._app, scope)), path)
        return read_staged(held.place) if held.place else None

    def is_free(self, scope: str, path: str) -> bool:
        """Whether a new file may stand there."""
        return not self.in_the_way(scope, path) and self.current(scope, path) is None

    def in_the_way(self, scope: str, path: str) -> str:
        """What is no file, or no folder, where one should be; empty where nothing hinders."""
        top, _, inner = path.partition("/")
        way = find_obstacle(os.path.join(root_of(self._app, scope), top), inner)
        return f"{top}/{way}" if way else ""

    def changes(self) -> tuple[BundleFileChange, ...]:
        """Every file that will not be what it is."""
        found = []
        for (scope, path), held in self._after.items():
            before = sum_of(read_file(WritableFolder(root=root_of(self._app, scope)), path))
            if before != held.sum:
                found.append(BundleFileChange(scope=scope, path=path, id=held.id, before=before, after=held.place))
        return tuple(found)

    def _stage(self, data: bytes) -> str:
        name = os.path.join(self._folder, f"after-{self._written:08d}")
        self._written += 1
        with open(name, "xb") as file:
            file.write(data)
        return name


def find_obstacle(root: str, path: str) -> str:
    """Which part of a path below a folder is a link, or a file or folder where it should not be; empty: none."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        shown = "/".join(parts[:depth])
        try:
            mode = os.lstat(os.path.join(root, shown)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return ""
        if not (stat.S_ISREG(mode) if depth == len(parts) else stat.S_ISDIR(mode)):
            return shown
    return ""


def root_of(app: App, scope: str) -> str:
    """The folder of a scope."""
    return app.root_of(Scope(scope))


def read_staged(path: str) -> bytes:
    """The bytes of a file of our own."""
    with open(path, "rb") as file:
        return file.read()


def sum_of(data: bytes | None) -> str:
    """The sum of a file's bytes; empty where there is none."""
    return "" if data is None else sha256(data).hexdigest()
