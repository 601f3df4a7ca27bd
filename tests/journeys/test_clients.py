"""Setting clients up and taking it back, through the command."""

import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def user() -> Path:
    """The user's home, with two clients in it."""
    home = Path(os.environ["HOME"])
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_bytes(b'{\r\n  // mine\r\n  "model": "opus",\r\n}')
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('model = "x" # mine\n')
    return home


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_init_finds_clients_and_uninstall_leaves_every_byte_as_it_was(bare: Any, user: Path) -> None:
    before = _files(user)

    done = bare("init", "--yes", "--json")
    again = bare("init", "--yes", "--json")
    between = _files(user)
    gone = bare("uninstall", "--yes", "--json")

    assert {"claude-code", "codex"} <= set(done.json["clients"])
    assert again.json["written"] == []
    assert b"holdfast" in between[".claude/settings.json"]
    assert between[".claude/settings.json"].startswith(b'{\r\n  // mine\r\n  "model": "opus",')
    assert gone.status == 0
    assert _files(user) == before


def test_a_change_of_the_users_survives_uninstalling(bare: Any, user: Path) -> None:
    bare("init", "--yes", "--client", "claude-code")
    settings = user / ".claude/settings.json"
    settings.write_bytes(settings.read_bytes().replace(b'"opus"', b'"haiku"'))

    bare("uninstall", "--yes")

    assert settings.read_bytes() == b'{\r\n  // mine\r\n  "model": "haiku",\r\n}'


def test_no_client_is_touched_where_none_is_asked_for(bare: Any, user: Path) -> None:
    before = _files(user)

    done = bare("init", "--yes", "--client", "none", "--json")

    assert done.json["clients"] == []
    assert _files(user) == before


def test_an_unknown_client_is_named(bare: Any) -> None:
    done = bare("init", "--yes", "--client", "emacs")

    assert done.status == 2
    assert "There is no client 'emacs'" in done.err


def test_status_warns_of_a_client_that_never_spoke(bare: Any, user: Path) -> None:
    bare("init", "--yes", "--client", "claude-code")

    clients = {client["id"]: client for client in bare("status", "--json").json["clients"]}

    assert clients["claude-code"]["installed"]
    assert clients["claude-code"]["silent"]
    assert "silent so far" in bare("status").out


def test_an_agent_can_neither_install_nor_uninstall(bare: Any, user: Path) -> None:
    for words in (["init", "--yes"], ["uninstall", "--yes"]):
        assert bare(*words, env={"CLAUDECODE": "1"}).status == 2
