"""Whether the user has trusted our hooks in Codex. We read what Codex noted, and never write it."""

import os
import tomllib
from collections.abc import Mapping
from typing import Any

from holdfast.clients.client_table import CODEX, CODEX_EVENTS, PLUGIN
from holdfast.clients.install.install_plan import find_client_places, read_bytes_at
from holdfast.clients.install.our_parts import runs_hook
from holdfast.clients.payload import to_snake_case
from holdfast.core.value import Value
from holdfast.system import jsonc


class CodexTrust(Value):
    """How many of our hooks Codex may run. It does not say whether one was changed since: then Codex asks again."""

    trusted: int
    wanted: int


def read_codex_trust(home: str, env: Mapping[str, str]) -> CodexTrust:
    """What Codex noted about our hooks: those of the plugin, or of `hooks.json` where they stand there."""
    places = find_client_places(CODEX, home, "", env)
    noted = _read_hook_state(read_bytes_at(os.path.join(places["client"], "config.toml")))
    plugin = [f"{PLUGIN}:hooks/hooks.json:{to_snake_case(event)}:0:0" for event in CODEX_EVENTS]
    keys = _keys_in(os.path.join(places["client"], "hooks.json"), places["command"]) or plugin
    return CodexTrust(trusted=sum(_is_trusted(noted.get(key)) for key in keys), wanted=len(keys))


def _read_hook_state(config: bytes | None) -> Mapping[str, Any]:
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
        found = jsonc.parse_jsonc((read_bytes_at(path) or b"").decode("utf-8")).value["hooks"]
        return [
            f"{path}:{to_snake_case(event)}:{group}:{handler}"
            for event, groups in found.items()
            for group, each in enumerate(groups)
            for handler, hook in enumerate(each["hooks"])
            if runs_hook(hook, command)
        ]
    except (jsonc.UnusableJsonText, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return []
