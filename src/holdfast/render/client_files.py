"""Files of clients, as a plan changes them: read with care, each written whole or not at all."""

import os
import stat
from hashlib import sha256

from holdfast.core.errors import HoldfastError, Refused
from holdfast.core.value import Value
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import (
    FileAlreadyThere,
    FileChangedSinceRead,
    create_file,
    read_file,
    remove_file,
    replace_file,
)


class ClientFileIsLink(Refused):
    """A link where a client's file should be: what it points to may lie anywhere."""

    def __init__(self) -> None:
        super().__init__("it is a link, or lies behind one.", "put the real file there, or name the one it points to.")


class ClientPathNotAFile(Refused):
    """Something else than a file."""

    def __init__(self) -> None:
        super().__init__("it is not a file.", "move it away.")


class ClientFileReadOnly(Refused):
    """A file that its owner does not want changed."""

    def __init__(self) -> None:
        super().__init__("it is read-only.", "make it writable (chmod u+w), then run `holdfast render`.")


class ClientFileNotText(Refused):
    """A file in another encoding."""

    def __init__(self) -> None:
        super().__init__("it is not UTF-8.", "save it as UTF-8, then run `holdfast render`.")


class ClientFileChange(Value):
    """A file of a target: its bytes now and then (None: no file), and the memories in its block."""

    root: str
    name: str
    target: str
    before: bytes | None
    after: bytes | None
    ids: tuple[str, ...] = ()
    dropped: int = 0

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self.root, self.name)

    @property
    def changes(self) -> bool:
        """Whether the file changes."""
        return self.before != self.after


class SkippedClientFile(Value):
    """A file that is left alone, and why."""

    name: str
    reason: str
    hint: str = ""


class RenderPlan(Value):
    """What will be written. `targets` are the ids that are kept up to date from then on."""

    changes: tuple[ClientFileChange, ...] = ()
    left: tuple[SkippedClientFile, ...] = ()
    targets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    held: int = 0

    @property
    def changed_files(self) -> tuple[ClientFileChange, ...]:
        """The files that change."""
        return tuple(change for change in self.changes if change.changes)


def join_plans(plan: RenderPlan, more: RenderPlan) -> RenderPlan:
    """Two plans as one."""
    return RenderPlan(
        changes=plan.changes + more.changes,
        left=plan.left + more.left,
        targets=plan.targets + more.targets,
        notes=tuple(dict.fromkeys(plan.notes + more.notes)),
        held=max(plan.held, more.held),
    )


def bytes_of(root: str, name: str) -> bytes | None:
    """The bytes of a file below a folder, which may be changed; None when there is none."""
    at = root
    for part in name.split("/"):
        at = os.path.join(at, part)
        try:
            found = os.lstat(at)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(found.st_mode):
            raise ClientFileIsLink
    if not stat.S_ISREG(found.st_mode):
        raise ClientPathNotAFile
    return read_file(WritableFolder(root=root), name)


def text_of(data: bytes) -> str:
    """The text in a file. Raises NotText."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ClientFileNotText from None
    if "\0" in text:
        raise ClientFileNotText
    return text


class SkipOnFailure:  # reads as a word
    """What goes wrong with one file is noted, and the others go on."""

    def __init__(self, name: str, left: list[SkippedClientFile]) -> None:
        self._name, self._left = name, left

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: object, __: object) -> bool:
        if not isinstance(error, HoldfastError):
            return False
        self._left.append(SkippedClientFile(name=self._name, reason=str(error), hint=error.hint))
        return True


def try_write(change: ClientFileChange) -> HoldfastError | None:
    """Write a file of a plan, whole or not at all; what went wrong, if something did."""
    try:
        _write(change)
    except FileAlreadyThere:
        return FileChangedSinceRead(change.name, "", "now")
    except HoldfastError as error:
        return error
    return None


def _write(change: ClientFileChange) -> None:
    target = WritableFolder(root=change.root)
    then = _sum(change.before)
    if change.after is None:
        remove_file(target, change.name, then=then)
        _drop_folders(change)
    elif change.before is None:
        create_file(target, change.name, change.after)
    else:
        replace_file(target, change.name, change.after, then=then)


def check_writable(root: str, name: str) -> None:
    """Refuse a file that its owner made read-only: a rename would not ask."""
    if not os.stat(os.path.join(root, name)).st_mode & 0o222:
        raise ClientFileReadOnly


def _drop_folders(change: ClientFileChange) -> None:
    """Folders that are empty now: nobody but us had a file there."""
    folder = os.path.dirname(change.path)
    while folder != change.root and os.path.commonpath([folder, change.root]) == change.root:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _sum(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
