"""Teams over a folder and over git: joined by a person, promoted through the gate, left without a trace."""

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.app import open_memory
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Scope
from holdfast.core.search import Question
from holdfast.exchange.git_remote import TeamGitFailed, TeamMergeConflict, UnfinishedMerge
from holdfast.exchange.team import manage_teams
from holdfast.exchange.team.member_names import set_team_person
from holdfast.exchange.team.team_repositories import OtherOrigin, OtherTeamThere
from holdfast.index.entries import NoSuchId, find_entry
from holdfast.inject.packs import build_goal_pack
from holdfast.library.persistent_memory import PersistentMemory
from holdfast.recall.find import search
from holdfast.review.accept import accept
from holdfast.review.batches import undo
from holdfast.review.remember import MemoryDraft, propose, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.vault.promotion import ScopeMissing
from holdfast.workspace import App, PersonOnly

GOAL = "which toolkit for the terminal screens"


def checkout(folder: Path) -> Path:
    folder.mkdir(parents=True)
    app = plan_init(str(folder), named=True)
    init(app)
    return folder


def at(folder: Path) -> App:
    return open_memory(str(folder))


def decide(folder: Path, text: str = "Use Textual for terminal screens", **fields: str) -> str:
    given = {"question": "Which toolkit for terminal screens?", "choice": "Textual", **fields}
    return remember(at(folder), MemoryDraft(type="decision", text=text, fields=given)).memory.id


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    return checkout(tmp_path / "ada")


@pytest.fixture
def shared(tmp_path: Path) -> str:
    """An empty repository that both can push to."""
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(tmp_path / "team.git")], check=True)
    return str(tmp_path / "team.git")


def promoted(folder: Path, name: str) -> str:
    [candidate] = manage_teams.promote_memories(at(folder), [name])
    [done] = accept(at(folder), [candidate.memory.id]).accepted
    return done.entry.memory.id


def test_a_promotion_is_a_candidate_and_goes_to_the_team_when_it_is_accepted(ada: Path) -> None:
    name = decide(ada)
    manage_teams.init_team(at(ada), "acme", who="Ada")

    [candidate] = manage_teams.promote_memories(at(ada), [name])
    assert [e.memory.id for e in at(ada).candidates.all()] == [candidate.memory.id]
    new = accept(at(ada), [candidate.memory.id]).accepted[0].entry

    assert new.scope is Scope.TEAM
    held = list(Path(ada, ".holdfast/team/memory/decisions").glob("*.md"))
    assert len(held) == 1
    assert "author: Ada" in held[0].read_text()
    assert "promote_to" not in held[0].read_text()
    assert manage_teams.read_team_state(at(ada)).authors == {"Ada": 1}
    assert new.memory.supersedes == (name,)


def test_what_the_team_decided_comes_first_and_names_its_author(ada: Path) -> None:
    name = decide(ada)
    decide(ada, "Terminal screens draw at least eighty columns", question="", choice="")
    manage_teams.init_team(at(ada), "acme", who="Ada")
    promoted(ada, name)

    pack = build_goal_pack(at(ada), GOAL)

    assert [item.text for item in pack.team_decisions] == [
        "Which toolkit for terminal screens? Textual (Ada, for the team)"
    ]
    assert all(name not in item.id for item in pack.facts)
    prompt = pack.to_prompt()
    assert prompt.index("TEAM STANDARDS") < prompt.index("KNOWN FACTS")


def test_who_leaves_is_told_none_of_it_and_has_their_own_again(ada: Path) -> None:
    name = decide(ada)
    manage_teams.init_team(at(ada), "acme", who="Ada")
    new = promoted(ada, name)

    manage_teams.leave_team(at(ada))

    with pytest.raises(NoSuchId):
        find_entry(at(ada), new)
    assert [hit.entry.memory.id for hit in search(at(ada), Question(text=GOAL)).hits] == [name]
    assert build_goal_pack(at(ada), GOAL).team_decisions == ()
    assert [item.id for item in build_goal_pack(at(ada), GOAL).facts] == [name]
    with pytest.raises(manage_teams.NoTeam):
        manage_teams.read_team_state(at(ada))


def test_undo_takes_a_promotion_back(ada: Path) -> None:
    name = decide(ada)
    manage_teams.init_team(at(ada), "acme", who="Ada")
    promoted(ada, name)

    undo(at(ada))

    assert not list(Path(ada, ".holdfast/team/memory/decisions").glob("*.md"))
    assert len(at(ada).candidates.all()) == 1


def test_a_teams_memory_in_a_clone_says_nothing_before_somebody_joined(ada: Path, tmp_path: Path) -> None:
    manage_teams.init_team(at(ada), "acme", who="Ada")
    promoted(ada, decide(ada))
    bob = checkout(tmp_path / "bob")
    os.rename(Path(ada, ".holdfast/team"), Path(bob, ".holdfast/team"))

    assert build_goal_pack(at(bob), GOAL).empty
    done = manage_teams.join_team(at(bob), who="Bob")

    assert dict(done.counts) == {"decision": 1}
    assert len(build_goal_pack(at(bob), GOAL).team_decisions) == 1


def test_two_share_a_repository(ada: Path, tmp_path: Path, shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    manage_teams.init_team(at(ada), "acme", shared, who="Ada")
    promoted(ada, decide(ada))
    first = manage_teams.sync_team_memory(at(ada))
    # Each person has a home of their own.
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "bobs-home"))
    os.makedirs(tmp_path / "bobs-home")
    bob = checkout(tmp_path / "bob")
    joined = manage_teams.join_team(at(bob), shared, who="Bob")
    promoted(bob, remember(at(bob), MemoryDraft(type="invariant", text="Screens work at eighty columns")).memory.id)
    second = manage_teams.sync_team_memory(at(bob))

    assert isinstance(first, manage_teams.TeamGitSync)
    assert isinstance(second, manage_teams.TeamGitSync)
    assert (first.committed, first.sent, second.committed, second.sent) == (True, True, True, True)
    assert dict(joined.counts) == {"decision": 1}
    assert manage_teams.read_team_state(at(bob)).unsent == (0, 0)
    assert manage_teams.read_team_state(at(bob)).authors == {"Ada": 1, "Bob": 1}


def test_conflicts_between_team_and_project_are_shown(ada: Path) -> None:
    name = decide(ada)
    manage_teams.init_team(at(ada), "acme", who="Ada")
    promoted(ada, name)
    other = {"question": "Which toolkit for terminal screens?", "choice": "curses"}
    waits = propose(at(ada), MemoryDraft(type="decision", text="Use curses for terminal screens", fields=other))

    blocked = accept(at(ada), [waits.memory.id]).blocked

    assert [related.old.scope for each in blocked for related in each.conflicts] == [Scope.TEAM]


def test_ones_own_memory_is_promoted_to_the_project(ada: Path) -> None:
    own = remember(at(ada), MemoryDraft(type="learning", text="Tests need a database", scope="user")).memory.id

    [candidate] = manage_teams.promote_memories(at(ada), [own])
    [done] = accept(at(ada), [candidate.memory.id]).accepted

    assert done.entry.scope is Scope.WORKSPACE


def test_what_is_asked_of_nobody_is_refused(ada: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = decide(ada)
    with pytest.raises(manage_teams.NoTeam):
        manage_teams.promote_memories(at(ada), [name])
    with pytest.raises(ScopeMissing):
        accept(at(ada), [propose(at(ada), MemoryDraft(type="learning", text="New words")).memory.id], "team")
    with pytest.raises(manage_teams.NotATeam):
        manage_teams.join_team(at(ada), str(ada))
    with pytest.raises(manage_teams.BadTeamName):
        manage_teams.init_team(at(ada), "../x")
    manage_teams.init_team(at(ada), "acme")
    with pytest.raises(manage_teams.AlreadyInTeam):
        manage_teams.init_team(at(ada), "other")
    monkeypatch.setenv("CLAUDECODE", "1")
    for verb in (manage_teams.leave_team, manage_teams.sync_team_memory):
        with pytest.raises(PersonOnly):
            verb(at(ada))


def test_lines_that_two_changed_are_for_a_person(ada: Path, tmp_path: Path, shared: str) -> None:
    manage_teams.init_team(at(ada), "acme", shared, who="Ada")
    new = promoted(ada, decide(ada))
    manage_teams.sync_team_memory(at(ada))
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "--quiet", shared, str(other)], check=True)
    [file] = (other / "memory/decisions").glob("*.md")
    file.write_text(file.read_text().replace("choice: Textual", "choice: Rich"))
    as_eve = ["git", "-C", str(other), "-c", "user.name=Eve", "-c", "user.email=e@x"]
    subprocess.run([*as_eve, "commit", "--quiet", "-am", "change"], check=True)
    subprocess.run([*as_eve, "push", "--quiet"], check=True)
    app = at(ada)
    held = Path(app.root_of(Scope.TEAM), find_entry(app, new).path)
    held.write_text(held.read_text().replace("choice: Textual", "choice: curses"))

    with pytest.raises(TeamMergeConflict):
        manage_teams.sync_team_memory(at(ada))

    assert "choice: curses" in held.read_text()

    # By hand, and left in the middle: what both wrote goes to nobody, also where somebody called it settled.
    root = app.root_of(Scope.TEAM)
    as_ada = ["git", "-C", root, "-c", "user.name=Ada", "-c", "user.email=a@x"]
    subprocess.run([*as_ada, "pull", "--quiet", "--no-rebase"], capture_output=True)
    assert "<<<<<<< " in held.read_text()
    with pytest.raises(UnfinishedMerge):
        manage_teams.sync_team_memory(at(ada))
    subprocess.run([*as_ada, "add", "--all"], check=True)
    with pytest.raises(UnfinishedMerge):
        manage_teams.sync_team_memory(at(ada))

    held.write_text(file.read_text())
    manage_teams.sync_team_memory(at(ada))
    shown = subprocess.run(["git", "-C", shared, "grep", "-h", "choice:", "main"], capture_output=True, text=True)
    assert shown.stdout.split() == ["choice:", "Rich"]


def test_a_team_without_any_memory_left_syncs(ada: Path, tmp_path: Path, shared: str) -> None:
    manage_teams.init_team(at(ada), "acme", shared, who="Ada")
    promoted(ada, decide(ada))
    manage_teams.sync_team_memory(at(ada))
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "--quiet", shared, str(other)], check=True)
    as_eve = ["git", "-C", str(other), "-c", "user.name=Eve", "-c", "user.email=e@x"]
    subprocess.run([*as_eve, "rm", "--quiet", "-r", "memory"], check=True)
    subprocess.run([*as_eve, "commit", "--quiet", "-m", "begin anew"], check=True)
    subprocess.run([*as_eve, "push", "--quiet"], check=True)

    assert manage_teams.sync_team_memory(at(ada)) == manage_teams.TeamGitSync(committed=False, came=True, sent=False)
    assert manage_teams.sync_team_memory(at(ada)) == manage_teams.TeamGitSync(committed=False, came=False, sent=False)


def test_the_library_has_the_teams_store(ada: Path) -> None:
    manage_teams.init_team(at(ada), "acme", who="Ada")
    new = promoted(ada, decide(ada))

    memory = PersistentMemory.load(ada)

    assert memory.team is not None
    assert [each.id for each in memory.team] == [new]
    assert memory.get_relevant(GOAL).team_decisions


def bare(folder: Path) -> str:
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(folder)], check=True)
    return str(folder)


def files_in(repository: str) -> list[str]:
    asked = ["git", "-C", repository, "ls-tree", "-r", "--name-only", "main"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()


def test_repositories_that_are_called_the_same_are_never_mixed(ada: Path, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    first, second = bare(tmp_path / "x/memory.git"), bare(tmp_path / "y/memory.git")
    manage_teams.init_team(at(ada), "acme", first, who="Ada")
    promoted(ada, decide(ada))
    manage_teams.sync_team_memory(at(ada))
    manage_teams.leave_team(at(ada))

    begun = manage_teams.init_team(at(ada), "acme", second, who="Ada")

    assert dict(begun.counts) == {}
    new = promoted(
        ada, remember(at(ada), MemoryDraft(type="learning", text="Screens are drawn by one thread")).memory.id
    )
    manage_teams.sync_team_memory(at(ada))
    assert not [name for name in files_in(first) if new in name]
    assert [name for name in files_in(second) if "learnings" in name]
    assert not [name for name in files_in(second) if "decisions" in name]


def test_a_clone_that_fetches_from_elsewhere_is_not_taken_for_the_team(ada: Path, tmp_path: Path, shared: str) -> None:
    root = manage_teams.init_team(at(ada), "acme", shared, who="Ada").team.root
    manage_teams.leave_team(at(ada))
    subprocess.run(["git", "-C", root, "remote", "set-url", "origin", bare(tmp_path / "other.git")], check=True)

    with pytest.raises(OtherOrigin):
        manage_teams.join_team(at(ada), shared)


def test_a_team_that_was_begun_is_joined_at_once_by_its_name(ada: Path, tmp_path: Path, shared: str) -> None:
    manage_teams.init_team(at(ada), "acme", shared, who="Ada")
    bob = checkout(tmp_path / "bob")

    assert manage_teams.join_team(at(bob), shared, who="Bob").team.name == "acme"
    with pytest.raises(OtherTeamThere):
        manage_teams.init_team(at(checkout(tmp_path / "eve")), "other", shared)


def test_a_team_in_the_repository_has_something_to_commit_at_once(ada: Path, tmp_path: Path) -> None:
    manage_teams.init_team(at(ada), "acme", who="Ada")
    subprocess.run(["git", "init", "--quiet", str(ada)], check=True)
    subprocess.run(["git", "-C", str(ada), "add", "--all"], check=True)
    as_ada = ["git", "-C", str(ada), "-c", "user.name=Ada", "-c", "user.email=a@x"]
    subprocess.run([*as_ada, "commit", "--quiet", "-m", "Begin"], check=True)
    subprocess.run(["git", "clone", "--quiet", str(ada), str(tmp_path / "bob")], check=True)

    assert manage_teams.join_team(at(tmp_path / "bob"), who="Bob").team.name == "acme"


def test_a_join_that_failed_stands_in_the_way_of_none(
    ada: Path, tmp_path: Path, shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = os.environ["HOLDFAST_HOME"]
    theirs = tmp_path / "bobs-home"
    theirs.mkdir()
    monkeypatch.setenv("HOLDFAST_HOME", str(theirs))
    bob = checkout(tmp_path / "bob")
    with pytest.raises(manage_teams.NotATeam):
        manage_teams.join_team(at(bob), shared, who="Bob")
    assert os.listdir(theirs / "teams") == []

    monkeypatch.setenv("HOLDFAST_HOME", ours)
    manage_teams.init_team(at(ada), "acme", shared, who="Ada")
    monkeypatch.setenv("HOLDFAST_HOME", str(theirs))
    manage_teams.join_team(at(bob), shared, who="Bob")
    manage_teams.leave_team(at(bob))
    monkeypatch.setenv("HOLDFAST_HOME", ours)
    promoted(ada, decide(ada))
    manage_teams.sync_team_memory(at(ada))
    monkeypatch.setenv("HOLDFAST_HOME", str(theirs))

    assert dict(manage_teams.join_team(at(bob), shared, who="Bob").counts) == {"decision": 1}


def test_a_sync_shares_no_lock_and_says_what_it_did(ada: Path, shared: str, tmp_path: Path) -> None:
    manage_teams.init_team(at(ada), "acme", shared, who="Ada")
    promoted(ada, decide(ada))
    promoted(ada, remember(at(ada), MemoryDraft(type="learning", text="Screens are drawn by one thread")).memory.id)
    assert manage_teams.read_team_state(at(ada)).unsent == (0, 2)
    manage_teams.sync_team_memory(at(ada))
    assert not [name for name in files_in(shared) if name.endswith(".lock")]

    other = tmp_path / "other"
    subprocess.run(["git", "clone", "--quiet", shared, str(other)], check=True)
    as_eve = ["git", "-C", str(other), "-c", "user.name=Eve", "-c", "user.email=e@x"]
    (other / "README").write_text("Ours\n")
    subprocess.run([*as_eve, "add", "README"], check=True)
    subprocess.run([*as_eve, "commit", "--quiet", "-m", "Say whose it is"], check=True)
    subprocess.run([*as_eve, "push", "--quiet"], check=True)

    assert manage_teams.sync_team_memory(at(ada)) == manage_teams.TeamGitSync(committed=False, came=True, sent=False)


def test_a_file_is_no_repository(ada: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("x")
    with pytest.raises(manage_teams.NotATeam):
        manage_teams.join_team(at(ada), str(tmp_path / "notes"))
    with pytest.raises(TeamGitFailed, match="does not exist"):
        manage_teams.join_team(at(ada), str(tmp_path / "nowhere"))


def test_a_name_that_git_learns_later_is_the_authors(
    ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    subprocess.run(["git", "init", "--quiet", str(ada)], check=True)
    app = at(ada)
    manage_teams.init_team(app, "acme")
    assert any("git config user.name" in each for each in app.notices)
    subprocess.run(["git", "-C", str(ada), "config", "user.name", "Ada"], check=True)

    promoted(ada, decide(ada))

    assert manage_teams.read_team_state(at(ada)).authors == {"Ada": 1}


@pytest.fixture
def nameless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.mark.usefixtures("nameless")
def test_what_was_added_without_a_name_is_told_and_signed_when_there_is_one(
    ada: Path, shared: str, tmp_path: Path
) -> None:
    bob = checkout(tmp_path / "bob")
    manage_teams.init_team(at(ada), "acme", shared)
    promoted(ada, decide(ada))
    first, second = at(ada), at(bob)
    manage_teams.sync_team_memory(first)
    manage_teams.join_team(second, shared)
    theirs = promoted(bob, decide(bob, "Use pytest", question="Which test runner?", choice="pytest"))
    assert all(any("team name NAME" in each for each in app.notices) for app in (first, second))
    manage_teams.sync_team_memory(at(bob))
    manage_teams.sync_team_memory(at(ada))
    before = manage_teams.read_team_state(at(ada))

    done = set_team_person(at(ada), "Ada")
    [waiting] = manage_teams.promote_memories(
        at(ada), [decide(ada, "Use ruff", question="Which linter?", choice="ruff")]
    )

    assert (before.person, before.authors, len(before.unsigned)) == ("", {"unknown": 2}, 2)
    after = manage_teams.read_team_state(at(ada))
    assert (after.person, after.authors, after.unsigned) == ("Ada", {"Ada": 1, "unknown": 1}, (theirs,))
    assert done.signed == tuple(each for each in before.unsigned if each != theirs)
    assert waiting.memory.extra["author"] == "Ada"
    assert undo(at(ada)).verb == "promote"
    assert undo(at(ada)).verb == "team name"


@pytest.mark.usefixtures("nameless")
@pytest.mark.parametrize("name", ["", " Ada", "A\nB", "x" * 61])
def test_a_name_that_is_none_is_refused(ada: Path, name: str) -> None:
    manage_teams.init_team(at(ada), "acme")

    with pytest.raises(BadRequest):
        set_team_person(at(ada), name)

    assert manage_teams.read_team_state(at(ada)).person == ""


@pytest.mark.parametrize("held", ["", "[]", "{", '{"name": 1}', '{"name": "../x"}', '{"name": "a\\nb"}'])
def test_a_name_that_is_none_is_not_taken_from_a_team(ada: Path, tmp_path: Path, held: str) -> None:
    (tmp_path / "theirs/memory").mkdir(parents=True)
    (tmp_path / "theirs/team.json").write_text(held)

    assert manage_teams.join_team(at(ada), str(tmp_path / "theirs")).team.name == "theirs"


def test_no_link_is_followed_for_a_teams_name(ada: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs/memory").mkdir(parents=True)
    (tmp_path / "elsewhere").write_text('{"v": 1, "name": "evil"}')
    (tmp_path / "theirs/team.json").symlink_to(tmp_path / "elsewhere")

    assert manage_teams.join_team(at(ada), str(tmp_path / "theirs")).team.name == "theirs"
