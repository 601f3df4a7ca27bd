"""Whether Codex may run our hooks."""

from pathlib import Path

import pytest

from holdfast.clients.client_table import CODEX, CODEX_EVENTS
from holdfast.clients.install.codex_trust import CodexTrust, read_codex_trust
from holdfast.clients.install.install_hook import apply_plan, plan_install


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / ".codex").mkdir()
    return {"HOME": str(tmp_path)}


def trust(path: Path, *keys: str, rest: str = "") -> None:
    states = [f'[hooks.state."{key}"]\ntrusted_hash = "sha256:x"\n{rest}' for key in keys]
    path.write_text(path.read_text() + "\n" + "\n".join(states) if path.exists() else "\n".join(states))


def test_hooks_of_the_plugin(tmp_path: Path, env: dict[str, str]) -> None:
    home, config = str(tmp_path / "home"), tmp_path / ".codex/config.toml"
    apply_plan(plan_install(CODEX, home, "", env))
    assert read_codex_trust(home, env) == CodexTrust(trusted=0, wanted=len(CODEX_EVENTS))

    trust(config, "holdfast@holdfast:hooks/hooks.json:session_start:0:0", "holdfast@holdfast:hooks/hooks.json:stop:0:0")

    assert read_codex_trust(home, env) == CodexTrust(trusted=2, wanted=len(CODEX_EVENTS))


def test_hooks_in_a_file_of_the_users_by_their_places(tmp_path: Path, env: dict[str, str]) -> None:
    home, hooks = str(tmp_path / "home"), tmp_path / ".codex/hooks.json"
    hooks.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}')
    apply_plan(plan_install(CODEX, home, "", env, way="settings"))

    trust(tmp_path / ".codex/config.toml", f"{hooks}:stop:0:0", f"{hooks}:stop:1:0", f"{hooks}:session_end:0:0")

    assert read_codex_trust(home, env) == CodexTrust(trusted=2, wanted=len(CODEX_EVENTS))


def test_a_hook_that_is_switched_off_is_not_trusted(tmp_path: Path, env: dict[str, str]) -> None:
    trust(tmp_path / ".codex/config.toml", "holdfast@holdfast:hooks/hooks.json:stop:0:0", rest="enabled = false\n")

    assert read_codex_trust(str(tmp_path), env).trusted == 0


@pytest.mark.parametrize("config", [b"", b"x = ", b"hooks = 1", b"[hooks]\nstate = 1\n", b"\xff"])
def test_a_config_that_says_nothing_is_no_trust(tmp_path: Path, env: dict[str, str], config: bytes) -> None:
    (tmp_path / ".codex/config.toml").write_bytes(config)

    assert read_codex_trust(str(tmp_path), env).trusted == 0
