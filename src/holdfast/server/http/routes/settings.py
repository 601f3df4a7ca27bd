"""Settings: all of them with where each comes from, and changing the user's own or the project's."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Path

from holdfast.config.settings import REVIEWED, SETTINGS, UnknownSetting, hide_password
from holdfast.core.errors import Refused
from holdfast.server.http.etags import Matching, check_match
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.routes.route_parts import Reads, Reviews, make_router
from holdfast.server.http.security.callers import Caller, Right
from holdfast.server.http.shapes.health_shapes import NewSettingBody, SettingPlace, SettingRow
from holdfast.server.http.to_shapes import build_view
from holdfast.setup.change_settings import (
    OWN,
    PROJECT,
    SettingsFile,
    explain_not_settable,
    list_settings_files,
    mask_setting_value,
    set_value,
    unset_value,
)
from holdfast.workspace import App

ROUTER = make_router("settings")
# Whoever has a token must not widen what tokens are good for, nor name a program that somebody else starts.
IN_A_TERMINAL = frozenset(("serve.trust", "run.trust", "run.gates", "editor"))
KINDS = {bool: "bool", int: "int", float: "float", str: "text"}


class InATerminal(Refused):
    """A setting that says what may run."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key!r} says what may run on this machine, so it is not set over the network.",
            f"type it in a terminal: holdfast config {key} VALUE",
        )


class NeedsRun(Refused):
    """A setting that can do more than say how much."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key!r} needs the right to run: it can say where your words and keys go, or what counts unread.",
            "open Studio by your own link: holdfast serve --open",
        )


class TeamServerSetting(Refused):
    """Settings of a server that serves a team."""

    def __init__(self) -> None:
        super().__init__(
            "The settings of a team's server are its keeper's: they are neither shown nor set here.",
            "whoever keeps the server types there: holdfast config; a project's own are committed in its repository.",
        )


def require_settings(workspace: Opened) -> OpenWorkspace:
    """The workspace, if settings can be asked for there; a dependency."""
    if workspace.link is not None:
        raise TeamServerSetting
    return workspace


Settable = Annotated[OpenWorkspace, Depends(require_settings)]


@ROUTER.get("/settings", response_model=list[SettingRow], operation_id="listSettings")
async def listed(workspace: Settable, caller: Reads) -> list[SettingRow]:
    """Every setting, its value, where that comes from, and what each file says of it."""
    return await workspace.do(lambda app: _rows(app, caller))


@ROUTER.put("/settings/{key}", response_model=SettingRow, operation_id="changeSetting")
async def change(
    given: NewSettingBody,
    workspace: Settable,
    matching: Matching,
    caller: Reviews,
    key: Annotated[str, Path(max_length=100)],
) -> SettingRow:
    """Set a key in the user's own file or the project's, or take it out (null). A project sets harmless ones only.

    In the user's own, all but those that say how much need the right `run` besides.
    """
    if key not in SETTINGS:
        raise UnknownSetting(key, "request")
    if key in IN_A_TERMINAL and given.file == OWN:
        raise InATerminal(key)
    if given.file == OWN and not _may_set(caller, key):
        raise NeedsRun(key)
    return await workspace.change(lambda app: _change_setting(app, key, given, matching, caller))


def _may_set(caller: Caller, key: str) -> bool:
    return key in REVIEWED or caller.may(Right.RUN)


def _change_setting(app: App, key: str, given: NewSettingBody, matching: str, caller: Caller) -> SettingRow:
    file = next(each for each in list_settings_files(app) if each.name == given.file)
    if given.file == PROJECT or matching or given.sha256:
        check_match(file.path, file.sha256, matching, given.sha256 or "")
    then = file.sha256 if matching or given.sha256 else None
    if given.value is None:
        unset_value(app, key, file=given.file, then=then)
    else:
        set_value(app, key, given.value, file=given.file, then=then, where="request")
    return _row(app, key, list_settings_files(app), caller)


def _rows(app: App, caller: Caller) -> list[SettingRow]:
    files = list_settings_files(app)
    return [_row(app, key, files, caller) for key in SETTINGS]


def _row(app: App, key: str, files: Sequence[SettingsFile], caller: Caller) -> SettingRow:
    setting, origin = SETTINGS[key], app.settings.origins.get(key, "default")
    return build_view(
        SettingRow,
        {
            "key": key, "value": hide_password(app.settings[key]), "default": setting.default,
            "kind": KINDS[type(setting.default)], "origin": origin,
            "source": next((each.name for each in files if each.path == origin), origin),
            "about": setting.about, "variable": setting.variable,
            "repository": setting.harmless, "choices": list(setting.choices),
            "files": [_place(key, each, caller) for each in files],
        },
    )  # fmt: skip


def _place(key: str, file: SettingsFile, caller: Caller) -> SettingPlace:
    says = hide_password(mask_setting_value(SETTINGS[key], file.values[key])) if key in file.values else None
    locked = explain_not_settable(key, file)
    if file.name == OWN and key in IN_A_TERMINAL:
        locked = format_refusal(InATerminal(key))
    elif file.name == OWN and not _may_set(caller, key):
        locked = locked or format_refusal(NeedsRun(key))
    return build_view(
        SettingPlace,
        {"file": file.name, "path": file.path, "value": says, "sha256": file.sha256, "locked": locked},
    )


def format_refusal(error: Refused) -> str:
    """What is refused, and what to do instead."""
    return f"{error} {error.hint[:1].upper()}{error.hint[1:]}"
