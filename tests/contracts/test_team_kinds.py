"""A team over a folder, git, a database and a server: one gate, one order in packs, and left without a trace."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.server.conftest import threaded

from holdfast.app import open_memory
from holdfast.core.memory import Scope
from holdfast.core.search import Question
from holdfast.exchange.postgres.database import PostgresDatabase
from holdfast.exchange.postgres.postgres_peer import PostgresPeer
from holdfast.exchange.team import manage_teams
from holdfast.index.entries import NoSuchId, find_entry
from holdfast.inject.packs import build_goal_pack
from holdfast.recall.find import search
from holdfast.review.accept import accept
from holdfast.review.remember import MemoryDraft, propose, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.vault.memory_text import MarkdownTexts
from holdfast.workspace import App

pytest.importorskip("fastapi", reason="the server is an extra")

GOAL = "which toolkit for the terminal screens"
LINE = "Which toolkit for terminal screens? Textual (Ada, for the team)"
Take = Callable[[App, str], manage_teams.JoinedTeam]


def checkout(folder: Path) -> Path:
    folder.mkdir(parents=True)
    init(plan_init(str(folder), named=True))
    return folder


def at(folder: Path) -> App:
    return open_memory(str(folder))


@pytest.fixture(params=["folder", "git", "database", "server"])
def take_part(request: pytest.FixtureRequest, tmp_path: Path, home: Path) -> Iterator[Take]:
    """Take part in one team, whichever way its memory is shared."""
    kind, name = request.param, f"team-{tmp_path.name}"
    with ExitStack() as stack:
        match kind:
            case "folder":
                (tmp_path / "team" / "memory").mkdir(parents=True)
                yield lambda app, who: manage_teams.join_team(app, str(tmp_path / "team"), name, who)
            case "git":
                bare = str(tmp_path / "team.git")
                subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", bare], check=True)
                yield lambda app, who: manage_teams.init_team(app, name, bare, who)
            case "database":
                url = request.getfixturevalue("team_database").url
                yield lambda app, who: manage_teams.init_team(app, name, url, who)
            case _:
                place = at(checkout(tmp_path / "served"))
                server = stack.enter_context(threaded(home))
                there = {"token": server.token, "workspace": place.workspace_id}
                yield lambda app, who: manage_teams.join_team(app, server.url, name, who, **there)


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    return checkout(tmp_path / "ada")


def decision(choice: str, scope: str = "") -> MemoryDraft:
    fields = {"question": "Which toolkit for terminal screens?", "choice": choice}
    return MemoryDraft(type="decision", text=f"Use {choice} for terminal screens", fields=fields, scope=scope)


def accepted(folder: Path, name: str) -> str:
    [candidate] = manage_teams.promote_memories(at(folder), [name])
    assert [each.memory.id for each in at(folder).candidates.all()] == [candidate.memory.id]
    [done] = accept(at(folder), [candidate.memory.id]).accepted
    return done.entry.memory.id


def test_what_is_ones_own_goes_to_the_project_and_to_the_team_each_time_by_the_gate(ada: Path, take_part: Take) -> None:
    take_part(at(ada), "Ada")
    own = remember(at(ada), decision("Textual", "user")).memory.id

    ours = accepted(ada, own)
    theirs = accepted(ada, ours)

    assert [find_entry(at(ada), name).scope for name in (own, ours, theirs)] == [
        Scope.USER, Scope.WORKSPACE, Scope.TEAM,
    ]  # fmt: skip
    assert [item.text for item in build_goal_pack(at(ada), GOAL).team_decisions] == [LINE]
    manage_teams.sync_team_memory(at(ada))
    state = manage_teams.read_team_state(at(ada))
    assert dict(state.authors) == {"Ada": 1}
    assert state.unsent == (0, 0)


def test_what_contradicts_the_team_is_blocked_and_shown(ada: Path, tmp_path: Path, take_part: Take) -> None:
    take_part(at(ada), "Ada")
    accepted(ada, remember(at(ada), decision("Textual")).memory.id)
    manage_teams.sync_team_memory(at(ada))
    waits = propose(at(ada), decision("curses")).memory.id

    blocked = accept(at(ada), [waits]).blocked

    assert [related.old.scope for each in blocked for related in each.conflicts] == [Scope.TEAM]
    bob = checkout(tmp_path / "bob")
    other = remember(at(bob), decision("curses")).memory.id
    [pair] = take_part(at(bob), "Bob").conflicts
    assert other in (pair.new.memory.id, pair.old.memory.id)
    assert {pair.new.scope, pair.old.scope} == {Scope.TEAM, Scope.WORKSPACE}
    assert [item.text for item in build_goal_pack(at(bob), GOAL).team_decisions] == [LINE]


def test_who_leaves_is_told_none_of_it(ada: Path, take_part: Take) -> None:
    take_part(at(ada), "Ada")
    mine = remember(at(ada), decision("Textual")).memory.id
    new = accepted(ada, mine)
    manage_teams.sync_team_memory(at(ada))
    assert build_goal_pack(at(ada), GOAL).team_decisions

    left = manage_teams.leave_team(at(ada))

    assert Path(left.team.root).exists() is not left.removed
    with pytest.raises(NoSuchId):
        find_entry(at(ada), new)
    assert [hit.entry.memory.id for hit in search(at(ada), Question(text=GOAL)).hits] == [mine]
    assert build_goal_pack(at(ada), GOAL).team_decisions == ()
    take_part(at(ada), "Ada")
    assert [item.text for item in build_goal_pack(at(ada), GOAL).team_decisions] == [LINE]


def test_what_waits_in_the_teams_own_space_is_counted(ada: Path, team_database: PostgresDatabase) -> None:
    manage_teams.init_team(at(ada), "counted", team_database.url, "Ada")
    there = PostgresPeer(team_database.team("counted", "server").shared, MarkdownTexts())
    there.swap("candidates/CAND-1.md", b"---\nid: CAND-1\ntype: learning\nstatus: candidate\n---\n# Words\n", "")

    state = manage_teams.read_team_state(at(ada)).pending

    assert state is not None
    assert (state.waiting, state.behind) == (1, 0)
