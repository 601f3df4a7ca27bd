"""Whether the user has trusted our hooks in Codex. We read what Codex noted, and never write it."""

import os
import tomllib
from collections.abc import Mapping
from typing import Any

from holdfast.clients.client_table import CODEX, CODEX_EVENTS, PLUGIN
from holdfast.clients.install.install_plan import bytes_at, places_for
from holdfast.clients.install.our_parts import runs
from holdfast.clients.payload import snake
from holdfast.core.value import Value
from holdfast.system import jsonc


class Trust(Value):
    """How many of our hooks Codex may run. It does not say whether one was changed since: then Codex asks again."""

    trusted: int
    wanted: int


def codex_trust(home: str, env: Mapping[str, str]) -> Trust:
    """What Codex noted about our hooks: those of the plugin, or of `hooks.json` where they stand there."""
    places = places_for(CODEX, home, "", env)
    noted = _state(bytes_at(os.path.join(places["client"], "config.toml")))
    plugin = [f"{PLUGIN}:hooks/hooks.json:{snake(event)}:0:0" for event in CODEX_EVENTS]
    keys = _keys_in(os.path.join(places["client"], "hooks.json"), places["command"]) or plugin
    return Trust(trusted=sum(_is_trusted(noted.get(key)) for key in keys), wanted=len(keys))


def _state(config: bytes | None) -> Mapping[str, Any]:
    try:
        found = tomllib.loads((config or b"").decode("utf-8")).get("hooks", {}).get("state", {})
    except (ValueError, AttributeError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_trusted(noted: Any) -> bool:
    return isinstance(noted, dict) and bool(noted.get("trusted_hash")) and noted.get("enabled", True) is not False


def _keys_in(path: str, command: str) -> list[str]:
    """The keys under which Codex knows the hooks of ours in a file: by their places in it."""
    try:
        found = jsonc.parse((bytes_at(path) or b"").decode("utf-8")).value["hooks"]
        return [
            f"{path}:{snake(event)}:{group}:{handler}"
            for event, groups in found.items()
            for group, each in enumerate(groups)
            for handler, hook in enumerate(each["hooks"])
            if runs(hook, command)
        ]
    except (jsonc.NotJson, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return []
