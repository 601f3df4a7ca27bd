"""Changing settings: in the user's own file or, where a repository may set them, in the project's; only by a person."""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from typing import Any

from holdfast.config.settings import FILE, SETTINGS, Setting, parse_setting_value
from holdfast.config.toml_edit import set_key, unset_key
from holdfast.config.toml_file import BrokenSettings
from holdfast.config.toml_file import read_file as read_settings
from holdfast.core.errors import BadRequest, Refused
from holdfast.core.value import Value
from holdfast.embed.app_embedders import explain_no_embedder
from holdfast.journal.change_log import FOLDER as CHANGES
from holdfast.journal.change_log import USER, notice_edits
from holdfast.llm.app_model import explain_no_model
from holdfast.review.auto_rule import KEY as AUTO_ACCEPT
from holdfast.review.auto_rule import read_rule
from holdfast.system.folders import FolderExpected, LinkInVault, WritableFolder
from holdfast.system.safe_write import FileChangedSinceRead, lock_folder, put_file
from holdfast.trust.allow import require_proof
from holdfast.workspace import App, NoWorkspace, need_person

OWN, PROJECT = "user", "project"
# What says who counts as the person, or accepts in their name.
PROVEN = frozenset({AUTO_ACCEPT, "trust.hold_edits", "trust.need_terminal", "trust.terminals"})
# Settings that name one of several kinds: a slip would only be noticed when it is used.
NAMED = {"embedder": explain_no_embedder, "model": explain_no_model}


class SettingNotForProjects(Refused):
    """A setting that no repository may set."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key!r} {NO_HARM}",
            f"set it in your own file: holdfast config {key} VALUE; that holds in every workspace.",
        )


class SettingsFile(Value):
    """A file of settings, as it is now. `sha256`: of its bytes, of none where it is not there.

    `problem`: why nothing in it counts.
    """

    name: str
    path: str
    sha256: str
    values: Mapping[str, Any]
    problem: str = ""


NO_HARM = "is not set by a project: what a repository brings must not change what Holdfast may do on your machine."


def list_settings_files(app: App) -> tuple[SettingsFile, ...]:
    """The files that settings are read from: the user's own, then the project's, which wins."""
    names = (OWN, PROJECT) if app.workspace else (OWN,)
    return tuple(_read_settings_file(app, name) for name in names)


def explain_not_settable(key: str, file: SettingsFile) -> str:
    """Why a key cannot be set in a file; empty where it can."""
    if file.problem:
        return file.problem
    return NO_HARM[:1].upper() + NO_HARM[1:] if file.name == PROJECT and not SETTINGS[key].harmless else ""


def mask_setting_value(setting: Setting, value: Any) -> Any:
    """What a file says of a setting, as it may be shown: it may be anything, a secret too."""
    if setting.place and value and not str(value).startswith(("env:", "file:")):
        return "…"
    return value if isinstance(value, bool | int | float | str) else str(value)


def set_value(
    app: App, key: str, value: str, *, file: str = OWN, then: str | None = None, where: str = "command line"
) -> None:
    """Set a key in the user's or the project's config.toml. `then`: the sum that the file must still have.

    Raises NotForProjects, WrongValue, Moved.
    """
    if file == PROJECT and key in SETTINGS and not SETTINGS[key].harmless:
        raise SettingNotForProjects(key)
    _check_may_set(app, key, f"config {key} {value}")
    fitted = parse_setting_value(key, value, where)
    if key == AUTO_ACCEPT and value.strip():
        read_rule(value)
    if key in NAMED and (none := NAMED[key](value)):
        raise BadRequest(f"{none.reason[:1].upper()}{none.reason[1:]}.", none.hint)
    _change(app, key, fitted, file, then)
    if key == "candidates.commit":
        app.notices.append("Run `holdfast init` again in each workspace: it brings .holdfast/.gitignore up to date.")
    if key == "embedder":
        app.notices.append("Search takes it up by itself; `holdfast doctor --embed` gives every passage a vector now.")


def unset_value(app: App, key: str, *, file: str = OWN, then: str | None = None) -> None:
    """Take a key out of the user's or the project's config.toml. What a project may not set can be taken out."""
    _check_may_set(app, key, f"config --unset {key}")
    _change(app, key, None, file, then)


def _check_may_set(app: App, key: str, command: str) -> None:
    """Only a person changes settings; what decides for them later, only one who is proven to be there."""
    (require_proof if key in PROVEN else need_person)(app, command)


def _change(app: App, key: str, value: Any, file: str, then: str | None) -> None:
    if file == PROJECT and not app.workspace:
        raise NoWorkspace(os.getcwd())
    notice_edits(app)
    path = _path(app, file)
    with _lock_settings(path):
        data = _bytes(path, file)
        if then is not None and sha256(data).hexdigest() != then:
            raise FileChangedSinceRead(path, then, sha256(data).hexdigest())
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise BrokenSettings(path, str(error)) from error
        made = unset_key(text, key, path) if value is None else set_key(text, key, value, path)
        if made != text:
            put_file(path, made.encode(), private=file == OWN)
    app.__dict__.pop("settings", None)
    notice_edits(app, USER)


@contextmanager
def _lock_settings(path: str) -> Iterator[None]:
    """One change of a file at a time. Where the folder of the lock cannot be had, the change is made all the same."""
    with ExitStack() as held:
        with suppress(FolderExpected):
            held.enter_context(
                lock_folder(WritableFolder(root=os.path.join(os.path.dirname(path), CHANGES), private=True))
            )
        yield


def _read_settings_file(app: App, name: str) -> SettingsFile:
    path = _path(app, name)
    try:
        return SettingsFile(
            name=name, path=path, sha256=sha256(_bytes(path, name)).hexdigest(), values=read_settings(path)
        )
    except (BrokenSettings, LinkInVault) as error:
        return SettingsFile(name=name, path=path, sha256="", values={}, problem=f"{error} {error.hint}".strip())


def _path(app: App, name: str) -> str:
    return os.path.join(app.home if name == OWN else app.folder, FILE)


def _bytes(path: str, name: str) -> bytes:
    # The user's own may lie elsewhere, by a link; a repository's link could name any file.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (os.O_NOFOLLOW if name == PROJECT else 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BrokenSettings(path, "it is not a regular file")
            return file.read()
    except FileNotFoundError:
        return b""
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise LinkInVault(path) from error
        raise BrokenSettings(path, str(error.strerror)) from error
