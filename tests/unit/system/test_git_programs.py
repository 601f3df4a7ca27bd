"""A team's repository that is used where it lies: none of the programs that its own settings name is run."""

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.app import open_memory
from holdfast.exchange.team import manage_teams
from holdfast.review.accept import accept
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.system.git_programs import NamesPrograms, find_programs


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A workspace that joined a team in a repository beside it, with something to send."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "origin.git")], check=True)
    repository = tmp_path / "team"
    subprocess.run(["git", "init", "-q", "-b", "main", str(repository)], check=True)
    git(repository, "remote", "add", "origin", str(tmp_path / "origin.git"))
    folder = tmp_path / "work"
    folder.mkdir()
    init(plan_init(str(folder), named=True))
    manage_teams.init_team(open_memory(str(folder)), "acme", str(repository), who="Ada")
    made = remember(
        open_memory(str(folder)), MemoryDraft(type="decision", text="Use Textual", fields={"choice": "Textual"})
    )
    [candidate] = manage_teams.promote_memories(open_memory(str(folder)), [made.memory.id])
    accept(open_memory(str(folder)), [candidate.memory.id])
    return folder, repository


@pytest.mark.parametrize(
    "setting",
    ["filter.x.clean", "filter.x.process", "core.sshCommand", "remote.origin.uploadpack", "credential.helper"],
)
def test_a_program_of_the_repository_is_not_run(joined: tuple[Path, Path], tmp_path: Path, setting: str) -> None:
    folder, repository = joined
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o700)
    git(repository, "config", setting, str(program))
    (repository / ".gitattributes").write_text("*.md filter=x\n")
    if setting == "core.sshCommand":
        git(repository, "remote", "set-url", "origin", "ssh://nobody@127.0.0.1:9/team.git")

    with pytest.raises(NamesPrograms, match=setting.lower()):
        manage_teams.sync_team_memory(open_memory(str(folder)))
    with pytest.raises(NamesPrograms) as refused:
        manage_teams.read_team_state(open_memory(str(folder)))

    assert "git config --global" in refused.value.hint
    assert not ran.exists()
    git(repository, "config", "--unset", setting)
    if setting != "core.sshCommand":
        assert manage_teams.sync_team_memory(open_memory(str(folder))) is not None


def test_what_the_user_set_for_themselves_holds(joined: tuple[Path, Path], tmp_path: Path) -> None:
    folder, repository = joined
    ran = tmp_path / "ran"
    git(repository, "config", "--global", "filter.x.clean", f"tee {ran}")
    (repository / ".gitattributes").write_text("*.md filter=x\n")
    git(repository, "config", "credential.helper", "store")

    assert manage_teams.sync_team_memory(open_memory(str(folder))) is not None
    assert ran.exists()


def test_settings_that_name_programs_are_known_in_files_that_are_taken_in(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    (tmp_path / "more").write_text(
        '[filter "A.b"]\n\tsmudge = evil\n[diff "x"]\n\ttextconv = evil\n[user]\n\tname = A\n'
    )
    git(tmp_path / "r", "config", "include.path", str(tmp_path / "more"))
    listing = ["git", "-C", str(tmp_path / "r"), "config", "--list", "--show-scope", "--includes", "--null"]
    listed = subprocess.run(listing, check=True, capture_output=True, text=True, env={**os.environ}).stdout

    assert find_programs(listed) == ["diff.x.textconv", "filter.A.b.smudge"]
