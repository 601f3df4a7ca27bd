"""Settings: all of them with where each comes from, and changing the user's own."""

from typing import Annotated

from fastapi import Path

from holdfast.config.settings import SETTINGS, UnknownSetting, shown
from holdfast.domain.errors import Refused
from holdfast.memory.configure import set_value, unset_value
from holdfast.memory.open import App
from holdfast.serve.http.routes.common import Reads, Reviews, router
from holdfast.serve.http.shapes.health import NewSetting, SettingRow
from holdfast.serve.http.shaping import made
from holdfast.serve.http.workspaces import Opened

ROUTER = router("settings")
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


@ROUTER.get("/settings", response_model=list[SettingRow], operation_id="listSettings")
async def listed(workspace: Opened, _: Reads) -> list[SettingRow]:
    """Every setting, its value, and where that comes from."""
    return await workspace.do(lambda app: [_row(app, key) for key in SETTINGS])


@ROUTER.put("/settings/{key}", response_model=SettingRow, operation_id="changeSetting")
async def change(
    given: NewSetting, workspace: Opened, _: Reviews, key: Annotated[str, Path(max_length=100)]
) -> SettingRow:
    """Set a key in the user's own file, or take it out (null). What the environment says still counts for more."""
    if key not in SETTINGS:
        raise UnknownSetting(key, "request")
    if key in IN_A_TERMINAL:
        raise InATerminal(key)
    return await workspace.change(lambda app: _changed(app, key, given.value))


def _changed(app: App, key: str, value: str | None) -> SettingRow:
    if value is None:
        unset_value(app, key)
    else:
        set_value(app, key, value)
    return _row(app, key)


def _row(app: App, key: str) -> SettingRow:
    setting = SETTINGS[key]
    return made(
        SettingRow,
        {
            "key": key, "value": shown(app.settings[key]), "default": setting.default,
            "kind": KINDS[type(setting.default)], "origin": app.settings.origins.get(key, "default"),
            "about": setting.about, "variable": setting.variable,
            "repository": setting.harmless, "choices": list(setting.choices),
        },
    )  # fmt: skip
