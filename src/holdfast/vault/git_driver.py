"""Our merge driver in a repository: lines in `.gitattributes`, and the command in the clone's own settings."""

import os
import re
import sys
from hashlib import sha256
from importlib import import_module

from holdfast.core.errors import BadRequest, Damaged, HoldfastError, Refused, Unavailable
from holdfast.core.value import Value
from holdfast.system.folders import WritableFolder
from holdfast.system.git import GIT
from holdfast.system.safe_write import create_file, read_file, remove_file, replace_file

ATTRIBUTES = ".gitattributes"
DRIVER = "holdfast"
SECONDS = 20
NAME = "Holdfast memory, merged key by key"
PATTERNS = (".holdfast/memory/**/*.md", ".holdfast/candidates/**/*.md")
LARGEST = 4 * 1024 * 1024
_BEGIN, _END = "# holdfast: begin", "# holdfast: end"
# What uninstalling must know to leave the file as it was.
_NEW_FILE, _OPEN_LINE = " (in a new file)", " (after a line that had no end)"
_BLOCK = re.compile(
    rb"^# holdfast: begin(?P<how>[^\r\n]*)\r?\n(?:(?!# holdfast: )[^\n]*\n)*?# holdfast: end[^\r\n]*(?:\r?\n|\Z)",
    re.MULTILINE,
)
_OURS = ("driver", "name")


class NoGit(Unavailable):
    """There is no git."""

    def __init__(self) -> None:
        super().__init__("Git is not installed, or not in the PATH.", "install git; without it nothing is merged.")


class NotInGit(BadRequest):
    """A workspace that git does not know."""

    def __init__(self, folder: str, said: str) -> None:
        super().__init__(f"{folder!r} is in no git repository that git will read: {said}.", "run `git init` first.")


class SettingsRefused(Unavailable):
    """Git could not change its settings."""

    def __init__(self, said: str) -> None:
        super().__init__(
            f"Git could not change this repository's settings: {said}.",
            "check who owns .git/config and whether its disk is read-only; nothing else was changed.",
        )


class AttributesNotAFile(Refused):
    """Something else than a file of ours to change."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path!r} {why}.", "put a plain file there; git does not read a link either.")


class UnclosedAttributesBlock(Damaged):
    """A block of ours without its end."""

    def __init__(self, path: str) -> None:
        super().__init__(f"Our block in {path!r} has no end.", f"remove its lines by hand, from `{_BEGIN}` on.")


class MergeDriverState(Value):
    """How the driver stands: asked for by .gitattributes, set in this clone, and whether that command can run."""

    attributes: str
    asked: bool
    command: str
    current: bool
    runs: bool


def read_driver(workspace: str) -> MergeDriverState:
    """How the driver stands in the repository around a workspace. Raises NoGit, NotInGit."""
    _ask_git(workspace, "rev-parse", "--git-dir")
    path = os.path.join(workspace, ATTRIBUTES)
    command = _setting(workspace, "driver")
    python = _python_of(command)
    return MergeDriverState(
        attributes=path,
        asked=is_driver_requested(workspace),
        command=command,
        current=command == build_driver_command(),
        runs=bool(python) and os.access(python, os.X_OK),
    )


def is_driver_requested(workspace: str) -> bool:
    """Whether the workspace's .gitattributes names our driver; git is not run."""
    try:
        return f"merge={DRIVER}".encode() in (_attributes(workspace) or b"")
    except HoldfastError:
        return False


def install(workspace: str) -> list[str]:
    """Set the driver and name it in .gitattributes; what changed."""
    _ask_git(workspace, "rev-parse", "--git-dir")
    before = _attributes(workspace)
    after = add_block(before, os.path.join(workspace, ATTRIBUTES))
    wanted = {"name": NAME, "driver": build_driver_command()}
    changed = [f"merge.{DRIVER}.{key}" for key, value in wanted.items() if _setting(workspace, key) != value]
    for key in _OURS:
        if f"merge.{DRIVER}.{key}" in changed:
            _write_settings(workspace, "--replace-all", f"merge.{DRIVER}.{key}", wanted[key])
    return changed + _write_attributes(workspace, before, after)


def uninstall(workspace: str) -> list[str]:
    """Take both out again; what changed."""
    _ask_git(workspace, "rev-parse", "--git-dir")
    before = _attributes(workspace)
    after = remove_block(before, os.path.join(workspace, ATTRIBUTES))
    changed = _write_attributes(workspace, before, after)
    found = _ask_git(
        workspace, "config", "--local", "-z", "--name-only", "--get-regexp", rf"^merge\.{DRIVER}\.", none=True
    )
    keys = [key for key in found.split("\0") if key]
    ours = [key for key in keys if key.rpartition(".")[2] in _OURS]
    if ours and ours == keys:
        _write_settings(workspace, "--remove-section", f"merge.{DRIVER}")
    else:
        for key in ours:
            _write_settings(workspace, "--unset-all", key)
    return ours + changed


def build_driver_command() -> str:
    """The command that git shall run: by this Python from any place; where it is gone, git's own merge."""
    shlex = import_module("shlex")
    python = shlex.quote(sys.executable).replace("%", "%%")
    # Isolated: a folder `holdfast` in the repository must not be taken for ours.
    ours = f"{python} -I -m holdfast.cli.main hook merge-driver -- %O %A %B %L %P"
    return f"if test -x {python}; then {ours}; else git merge-file --marker-size=%L %A %O %B; fi"


def add_block(before: bytes | None, path: str) -> bytes:
    """The bytes of .gitattributes with our block: the last word, unless it stands there already."""
    text = before or b""
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    if found := _find_block(text, path):
        return text[: found.start()] + _block(found["how"].decode(), newline) + text[found.end() :]
    if before is None:
        return _block(_NEW_FILE, newline)
    if text and not text.endswith(b"\n"):
        return text + newline + _block(_OPEN_LINE, newline)
    return text + _block("", newline)


def remove_block(before: bytes | None, path: str) -> bytes | None:
    """The bytes of .gitattributes as they were before our block; None when there was no file."""
    text = before or b""
    found = _find_block(text, path)
    if found is None:
        return before
    how, head, rest = found["how"].decode(), text[: found.start()], text[found.end() :]
    if how == _OPEN_LINE and not rest:
        head = head.removesuffix(b"\n").removesuffix(b"\r")
    return None if how == _NEW_FILE and not head + rest else head + rest


def _find_block(text: bytes, path: str) -> "re.Match[bytes] | None":
    found = _BLOCK.search(text)
    if found is None and re.search(rf"^{_BEGIN}".encode(), text, re.MULTILINE):
        raise UnclosedAttributesBlock(path)
    return found


def _block(how: str, newline: bytes) -> bytes:
    lines = (f"{_BEGIN}{how}", *(f"{pattern} merge={DRIVER}" for pattern in PATTERNS), _END)
    return b"".join(line.encode() + newline for line in lines)


def _attributes(workspace: str) -> bytes | None:
    path = os.path.join(workspace, ATTRIBUTES)
    if not os.path.lexists(path):
        return None
    if os.path.islink(path):
        raise AttributesNotAFile(path, "is a link")
    if not os.path.isfile(path):
        raise AttributesNotAFile(path, "is no file")
    if os.path.getsize(path) > LARGEST:
        raise AttributesNotAFile(path, "is larger than 4 MiB")
    return read_file(WritableFolder(root=workspace), ATTRIBUTES)


def _write_attributes(workspace: str, before: bytes | None, after: bytes | None) -> list[str]:
    place = WritableFolder(root=workspace)
    if before == after:
        return []
    if before is None:
        create_file(place, ATTRIBUTES, after or b"")
    elif after is None:
        remove_file(place, ATTRIBUTES, then=sha256(before).hexdigest())
    else:
        replace_file(place, ATTRIBUTES, after, then=sha256(before).hexdigest())
    return [ATTRIBUTES]


def _python_of(command: str) -> str:
    shlex = import_module("shlex")
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    return words[3].rstrip(";").replace("%%", "%") if words[:3] == ["if", "test", "-x"] and len(words) > 3 else ""


def _setting(workspace: str, key: str) -> str:
    found = _ask_git(workspace, "config", "--local", "-z", "--get-all", f"merge.{DRIVER}.{key}", none=True)
    return found.split("\0")[-2] if "\0" in found else ""


def _write_settings(workspace: str, *words: str) -> None:
    try:
        _ask_git(workspace, "config", "--local", *words)
    except NotInGit as error:
        raise SettingsRefused(str(error).partition(": ")[2].rstrip(".")) from error


def _ask_git(workspace: str, *words: str, none: bool = False) -> str:
    """What git prints. `none`: its status 1 says that there is nothing."""
    subprocess = import_module("subprocess")
    env = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run([*GIT, "-C", workspace, *words], capture_output=True, timeout=SECONDS, env=env)
    except FileNotFoundError:
        raise NoGit from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SettingsRefused(str(error)) from error
    if done.returncode and not (none and done.returncode == 1):
        said = next(iter(done.stderr.decode(errors="replace").strip().splitlines()), "no reason given")
        raise NotInGit(workspace, said.removeprefix("fatal: ").removeprefix("error: ").rstrip("."))
    return str(done.stdout.decode(errors="replace"))
