"""Putting our hook into clients and taking it out: every file byte for byte as it was."""

import json
import os
import stat
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.clients.client_spec import Client
from holdfast.clients.client_table import (
    CLAUDE_EVENTS,
    CLIENTS,
    CODEX_EVENTS,
    PLUGIN_VERSION,
    UnknownClient,
    client_of,
)
from holdfast.clients.install.install_hook import apply_plan, find_clients, plan_install
from holdfast.clients.install.install_plan import ClientSetupPlan, UnknownInstallWay
from holdfast.clients.install.installed import ManifestDamaged, read_manifest
from holdfast.clients.install.our_parts import ClientFileNotUnderstood
from holdfast.clients.install.uninstall_hook import plan_uninstall
from holdfast.system import jsonc
from holdfast.system.safe_write import FileChangedSinceRead

EVERY_WAY = [(client.id, way.name) for client in CLIENTS for way in client.ways]

# Files as people have them: odd blanks, comments, trailing commas, other hooks, Windows line ends, no line end at all.
REALISTIC = {
    ".claude/settings.json": b"""{
    "model": "opus",

    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}   // mine
        ],
        "SessionStart": [],
    },
    "enabledPlugins": {"other@market": true}
}
""",
    ".claude/plugins/known_marketplaces.json": b'{\n  "market": {\n    "source": 1\n  }\n}',
    ".codex/config.toml": b"""model = "gpt-5.4"   # mine

[mcp_servers.mem]
command = "mem"
# the last word""",
    ".codex/hooks.json": b'{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"notify"}]}]}}',
    ".gemini/settings.json": b'{"theme": "dark"}',
    ".config/opencode/opencode.json": b'{\n\t"model": "x"\n}',
    ".cursor/hooks.json": b'{\r\n  "version": 1,\r\n  "hooks": {"stop": [{ "command": "./audit.sh" }]\r\n  }\r\n}\r\n',
    ".copilot/hooks/mine.json": b'{"version": 1, "hooks": {}}',
    ".cline/hooks/PreToolUse": b"#!/bin/sh\nexit 0\n",
    ".codeium/windsurf/hooks.json": b"{}",
    "work/.aider.conf.yml": b"# mine\nmodel: sonnet\nread:\n  - CONVENTIONS.md\n  - AGENTS.md # two\ngit: false\n",
}
EMPTY_SHELLS = {
    ".claude/settings.json": b"{}",
    ".codex/config.toml": b"",
    ".codex/hooks.json": b"{ }\n",
    ".cursor/hooks.json": b'{"version": 1}\n',
    ".codeium/windsurf/hooks.json": b"{\n}\n",
    "work/.aider.conf.yml": b"",
}
SETTINGS = {"realistic": REALISTIC, "shells": EMPTY_SHELLS, "nothing": {}}


class User:
    """Somebody with a home folder, a workspace and some clients."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / ".holdfast"
        self.work = folder / "work"
        self.env = {"HOME": str(folder), "PATH": ""}
        self.work.mkdir(parents=True)

    def has(self, files: dict[str, bytes]) -> None:
        for name, data in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(data)

    def tree(self) -> dict[str, bytes]:
        """Every file but those in our home, and every folder."""
        found = [path for path in self.folder.rglob("*") if not path.is_relative_to(self.home)]
        return {str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else b"" for path in found}

    def plan(self, client: str, way: str = "") -> ClientSetupPlan:
        return plan_install(client_of(client), str(self.home), str(self.work), self.env, way=way)

    def install(self, client: str, way: str = "") -> ClientSetupPlan:
        plan = self.plan(client, way)
        apply_plan(plan)
        return plan

    def uninstall(self, client: str) -> ClientSetupPlan:
        plan = plan_uninstall(client_of(client), str(self.home), str(self.work), self.env)
        apply_plan(plan)
        return plan


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "ann")


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(("client", "way"), EVERY_WAY)
def test_out_again_leaves_every_file_as_it_was(user: User, client: str, way: str, settings: str) -> None:
    user.has(SETTINGS[settings])
    before = user.tree()

    user.install(client, way)
    assert user.tree() != before
    user.uninstall(client)

    assert user.tree() == before
    assert read_manifest(str(user.home)) == {}
    assert not any(path.is_file() and path.name != ".lock" for path in user.home.rglob("*"))


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(("client", "way"), EVERY_WAY)
def test_a_second_time_changes_nothing(user: User, client: str, way: str, settings: str) -> None:
    user.has(SETTINGS[settings])
    user.install(client, way)
    once = user.tree()

    again = user.plan(client, way)

    assert again.changes == ()
    apply_plan(again)
    assert user.tree() == once


def test_all_clients_at_once_and_out_in_another_order(user: User) -> None:
    user.has(REALISTIC)
    before = user.tree()
    for client in CLIENTS:
        user.install(client.id)

    for client in reversed(CLIENTS):
        assert (user.home / "bin" / "hook").exists() == (client.id != "aider" or len(read_manifest(str(user.home))) > 1)
        user.uninstall(client.id)

    assert user.tree() == before
    assert read_manifest(str(user.home)) == {}


def test_a_plan_writes_nothing(user: User) -> None:
    user.has(REALISTIC)
    before = user.tree()

    for client in CLIENTS:
        assert user.plan(client.id).paths

    assert user.tree() == before
    assert not user.home.exists()


def _edit_json(data: bytes) -> bytes:
    return data.replace(b'"model": "opus"', b'"model": "haiku"')


@pytest.mark.parametrize(
    ("client", "way", "file", "edit"),
    [
        ("claude-code", "plugin", ".claude/settings.json", _edit_json),
        ("claude-code", "settings", ".claude/settings.json", _edit_json),
        ("codex", "plugin", ".codex/config.toml", lambda data: data.replace(b"gpt-5.4", b"gpt-6")),
        ("codex", "settings", ".codex/hooks.json", lambda data: data.replace(b"notify", b"tell")),
        ("cursor", "", ".cursor/hooks.json", lambda data: data.replace(b"audit", b"check")),
        ("aider", "", "work/.aider.conf.yml", lambda data: data.replace(b"sonnet", b"opus")),
    ],
)
def test_what_the_user_changed_since_stays(
    user: User, client: str, way: str, file: str, edit: Callable[[bytes], bytes]
) -> None:
    user.has(REALISTIC)
    path = user.folder / file
    user.install(client, way)
    path.write_bytes(edit(path.read_bytes()))

    user.uninstall(client)

    assert path.read_bytes().rstrip() == edit(REALISTIC[file]).rstrip()
    assert b"holdfast" not in path.read_bytes()


def test_an_edit_between_two_installs_is_kept_and_is_then_how_it_was(user: User) -> None:
    user.has(REALISTIC)
    path = user.folder / ".claude/settings.json"
    user.install("claude-code", "settings")
    edited = jsonc.remove_member(_edit_json(path.read_bytes()).decode(), ("hooks", "SessionEnd"))
    path.write_text(edited)

    user.install("claude-code", "settings")

    assert b'"haiku"' in path.read_bytes()
    assert set(CLAUDE_EVENTS) <= set(jsonc.parse_jsonc(path.read_text()).value["hooks"])
    user.uninstall("claude-code")
    assert path.read_bytes() == _edit_json(REALISTIC[".claude/settings.json"])


def test_a_handler_put_beside_ours_stays(user: User) -> None:
    user.install("claude-code", "settings")
    path = user.folder / ".claude/settings.json"
    settings = json.loads(path.read_bytes())
    settings["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "mine"})
    path.write_text(json.dumps(settings))

    user.uninstall("claude-code")

    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_the_clients_own_notes_about_us_go_too(user: User) -> None:
    user.has({".claude/settings.json": b"{}"})
    user.install("claude-code")
    user.has(
        {
            ".claude/plugins/known_marketplaces.json": b'{\n  "holdfast": {\n    "source": {}\n  }\n}',
            ".claude/plugins/installed_plugins.json": b'{"version": 2, "plugins": {"holdfast@holdfast": [1]}}',
            ".claude/plugins/cache/holdfast/holdfast/1.0.0/hooks/hooks.json": b"{}",
        }
    )

    user.uninstall("claude-code")

    assert [name for name, data in user.tree().items() if data] == [".claude/settings.json"]
    assert not (user.folder / ".claude/plugins/cache/holdfast").exists()


def test_the_trust_that_codex_notes_goes_too(user: User) -> None:
    user.has({".codex/config.toml": REALISTIC[".codex/config.toml"]})
    user.install("codex")
    path = user.folder / ".codex/config.toml"
    trust = (
        '\n[hooks.state]\n\n[hooks.state."holdfast@holdfast:hooks/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:x"\n'
    )
    path.write_text(path.read_text() + trust)

    user.uninstall("codex")

    assert path.read_bytes() == REALISTIC[".codex/config.toml"]


def test_trust_in_others_hooks_stays(user: User) -> None:
    user.install("codex")
    path = user.folder / ".codex/config.toml"
    path.write_text(path.read_text() + '\n[hooks.state."/x/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:y"\n')

    user.uninstall("codex")

    assert tomllib.loads(path.read_text()) == {
        "hooks": {"state": {"/x/hooks.json:stop:0:0": {"trusted_hash": "sha256:y"}}}
    }


@pytest.mark.parametrize(
    ("client", "file", "data"),
    [
        ("claude-code", ".claude/settings.json", b'{"model": }'),
        ("claude-code", ".claude/settings.json", b'["not", "settings"]'),
        ("claude-code", ".claude/settings.json", b'{"enabledPlugins": []}'),
        ("claude-code", ".claude/settings.json", b'{"model": "\xff"}'),
        ("codex", ".codex/config.toml", b"model = "),
        ("codex", ".codex/config.toml", b'[marketplaces.holdfast]\nsource = "/else"\n'),
        ("cursor", ".cursor/hooks.json", b'{"hooks": {"stop": {}}}'),
        ("aider", "work/.aider.conf.yml", b"read: {a: b}"),
        ("aider", "work/.aider.conf.yml", b"read: [a,\n  b]\n"),
        ("aider", "work/.aider.conf.yml", b"- a\n- b\n"),
    ],
)
def test_a_file_we_do_not_understand_is_refused_by_name_and_left_alone(
    user: User, client: str, file: str, data: bytes
) -> None:
    user.has({file: data})
    before = user.tree()

    with pytest.raises(ClientFileNotUnderstood, match=file):
        user.install(client)

    assert user.tree() == before


def test_a_file_that_changed_since_the_plan_is_not_overwritten(user: User) -> None:
    user.has({".cursor/hooks.json": b'{"version": 1}'})
    plan = user.plan("cursor")
    user.has({".cursor/hooks.json": b'{"version": 2}'})

    with pytest.raises(FileChangedSinceRead):
        apply_plan(plan)

    assert (user.folder / ".cursor/hooks.json").read_bytes() == b'{"version": 2}'


def test_a_linked_settings_file_stays_a_link(user: User) -> None:
    user.has({"dotfiles/settings.json": REALISTIC[".claude/settings.json"]})
    link = user.folder / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(user.folder / "dotfiles/settings.json")

    user.install("claude-code")
    assert link.is_symlink()
    assert b"holdfast" in link.read_bytes()
    user.uninstall("claude-code")

    assert link.is_symlink()
    assert link.read_bytes() == REALISTIC[".claude/settings.json"]


def test_permissions_of_a_settings_file_stay(user: User) -> None:
    user.has({".claude/settings.json": b"{}"})
    path = user.folder / ".claude/settings.json"
    path.chmod(0o640)

    user.install("claude-code")

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_plugin_that_the_user_switched_off_stays_off(user: User) -> None:
    user.install("claude-code")
    path = user.folder / ".claude/settings.json"
    path.write_bytes(path.read_bytes().replace(b'"holdfast@holdfast": true', b'"holdfast@holdfast": false'))

    user.install("claude-code")

    assert json.loads(path.read_bytes())["enabledPlugins"] == {"holdfast@holdfast": False}


def test_a_hook_script_of_the_users_own_is_left_alone_and_named(user: User) -> None:
    user.has({".cline/hooks/PreToolUse": b"#!/bin/sh\nexit 0\n"})

    plan = user.install("cline")

    assert (user.folder / ".cline/hooks/PreToolUse").read_bytes() == b"#!/bin/sh\nexit 0\n"
    assert any("PreToolUse" in note for note in plan.notes)
    assert os.access(user.folder / ".cline/hooks/PostToolUse", os.X_OK)


def test_our_part_is_found_even_when_the_list_is_lost(user: User) -> None:
    user.has({".cursor/hooks.json": REALISTIC[".cursor/hooks.json"]})
    user.install("cursor")
    (user.home / "installed.json").unlink()

    user.uninstall("cursor")

    assert b"holdfast" not in (user.folder / ".cursor/hooks.json").read_bytes()
    assert b"audit.sh" in (user.folder / ".cursor/hooks.json").read_bytes()


def test_a_list_that_cannot_be_read_stops_us(user: User) -> None:
    user.install("cursor")
    (user.home / "installed.json").write_text("{")

    with pytest.raises(ManifestDamaged):
        user.install("cursor")


def test_our_own_file_with_somebodys_changes_is_kept_in_the_backups(user: User) -> None:
    user.install("opencode")
    path = user.folder / ".config/opencode/plugins/holdfast.js"
    path.write_bytes(b"// mine now\n" + path.read_bytes())

    user.uninstall("opencode")

    assert not path.exists()
    [kept] = (user.home / "backups/opencode").iterdir()
    assert kept.read_bytes().startswith(b"// mine now")


def test_a_home_with_a_blank_in_its_path_is_quoted(tmp_path: Path) -> None:
    user = User(tmp_path / "ann lee")
    user.install("claude-code", "settings")
    command = json.loads((user.folder / ".claude/settings.json").read_bytes())["hooks"]["Stop"][0]["hooks"][0][
        "command"
    ]

    ran = subprocess.run(["/bin/sh", "-c", f"test -x {command}"], check=False)

    assert ran.returncode == 0
    user.uninstall("claude-code")
    assert user.tree().keys() == {"work"}


def test_the_plugin_names_the_hook_by_its_full_path(user: User) -> None:
    user.install("claude-code")
    user.install("codex")

    ours = user.home / "plugin/holdfast"
    hooks = json.loads((ours / "hooks/hooks.json").read_bytes())
    assert set(hooks) == {"description", "hooks"}
    assert set(CLAUDE_EVENTS) == set(hooks["hooks"]) >= set(CODEX_EVENTS)
    for groups in hooks["hooks"].values():
        [[handler]] = [group["hooks"] for group in groups]
        assert handler["command"] == str(user.home / "bin/hook")
        assert set(handler) == {"type", "command", "timeout"}
    assert json.loads((ours / ".claude-plugin/plugin.json").read_bytes())["version"] == PLUGIN_VERSION
    copy = user.folder / f".codex/plugins/cache/holdfast/holdfast/{PLUGIN_VERSION}/hooks/hooks.json"
    assert copy.read_bytes() == (ours / "hooks/hooks.json").read_bytes()


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_another_way_takes_the_first_one_out(user: User, client: str) -> None:
    user.has(REALISTIC)
    before = user.tree()
    user.install(client, "settings")
    by_settings = user.tree()

    user.install(client, "plugin")
    assert user.tree() != by_settings
    user.install(client, "settings")

    assert user.tree() == by_settings
    user.uninstall(client)
    assert user.tree() == before


def test_a_second_workspace_leaves_the_first_its_files(user: User) -> None:
    other = user.folder / "other"
    other.mkdir()
    user.install("aider")

    apply_plan(plan_install(client_of("aider"), str(user.home), str(other), user.env))

    assert (user.work / ".aider.conf.yml").read_bytes() == (other / ".aider.conf.yml").read_bytes()
    user.uninstall("aider")
    assert user.tree().keys() == {"work", "other"}


def test_without_a_workspace_nothing_is_written_into_one(user: User) -> None:
    plan = plan_install(client_of("windsurf"), str(user.home), "", user.env)

    assert all(".devin" not in path for path in plan.paths)


def test_clients_are_found_by_their_folders_and_programs(user: User) -> None:
    assert find_clients(user.env, str(user.work)) == []
    user.has({".gemini/settings.json": b"{}", "work/.aider.conf.yml": b"", "bin/opencode": b"#!/bin/sh\n"})
    (user.folder / "bin/opencode").chmod(0o755)

    found = find_clients({**user.env, "PATH": str(user.folder / "bin")}, str(user.work))

    assert [client.id for client in found] == ["gemini", "opencode", "aider"]


@pytest.mark.parametrize("client", [client for client in CLIENTS if client.folder_variable])
def test_a_client_that_was_moved_is_followed(user: User, client: Client) -> None:
    moved = user.folder / "elsewhere"
    env = {**user.env, client.folder_variable: str(moved)}

    plan = plan_install(client, str(user.home), str(user.work), env)

    assert any(path.startswith(str(moved)) for path in plan.paths)


def test_unknown_clients_and_ways_are_named() -> None:
    with pytest.raises(UnknownClient, match="emacs"):
        client_of("emacs")
    with pytest.raises(UnknownInstallWay, match="magic"):
        plan_install(client_of("codex"), "/x", "", {"HOME": "/nowhere"}, way="magic")
