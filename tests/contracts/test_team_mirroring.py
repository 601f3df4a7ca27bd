"""Two servers of one team: its own memory is in the packs of every project, and comes by the database."""

from pathlib import Path

import pytest
from tests.databases import new_space

from holdfast.app import open_memory
from holdfast.config.teams import save_team, team_of
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.core.relation import Resolution
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.team.team_mirror import ProjectMirror, TeamMirror
from holdfast.index.entries import find_entry
from holdfast.inject.packs import build_goal_pack
from holdfast.review.accept import accept
from holdfast.review.queue import list_waiting
from holdfast.review.remember import change_entry
from holdfast.review.resolve_conflict import ResolveRequest
from holdfast.workspace import App, make_workspace_id

GOAL = "which toolkit for the screens"
LINE = "Which toolkit for the screens? Textual (Ada, for the team)"


class Server:
    """A project and its team at a server, opened anew for every verb."""

    def __init__(self, space: DatabaseSpace, folder: Path, home: Path) -> None:
        self.team = TeamMirror(space.team.shared, str(folder))
        self.mirror = ProjectMirror(space, str(folder), self.team)
        self.path = self.mirror.registered.path
        # Both servers are this process, whose environment names one home for all.
        joined = team_of(str(folder), make_workspace_id(self.path))
        assert joined is not None
        save_team(str(home), make_workspace_id(self.path), joined)
        self.sync()

    @property
    def app(self) -> App:
        return open_memory(self.path)

    def sync(self) -> None:
        self.mirror.sync(self.app)

    def hear(self) -> None:
        """Others wrote: notifications say so."""
        self.mirror.doubt()
        assert self.mirror.is_behind()
        self.sync()

    def remember_for_the_team(self) -> str:
        memory = Memory(
            id="DEC-TEXTUAL", type=MemoryType.DECISION, title="Use Textual", question="Which toolkit for the screens?",
            choice="Textual", extra={"author": "Ada"},
        )  # fmt: skip
        return self.app.vaults[Scope.TEAM].create(memory).memory.id

    def told(self) -> list[str]:
        return [item.text for item in build_goal_pack(self.app, GOAL).team_decisions]


@pytest.fixture
def servers(tmp_path: Path, home: Path, team_database: PostgresDatabase) -> tuple[Server, Server]:
    space = new_space(team_database)
    return Server(space, tmp_path / "one", home), Server(space, tmp_path / "two", home)


def test_what_a_team_has_is_told_in_its_projects_at_every_server(servers: tuple[Server, Server]) -> None:
    one, two = servers
    one.remember_for_the_team()
    one.sync()
    assert two.told() == []

    two.hear()

    assert one.told() == two.told() == [LINE]
    assert not two.mirror.is_behind()


def test_a_project_is_behind_when_its_team_moved(servers: tuple[Server, Server]) -> None:
    one, _ = servers
    assert not one.mirror.is_behind()

    one.team.moved(10_000)

    assert one.mirror.is_behind()


def test_every_server_calls_a_teams_memory_the_same_and_no_project_so(servers: tuple[Server, Server]) -> None:
    one, two = servers
    project = one.mirror.space.team.project(one.mirror.space.team.name)

    assert one.team.id == two.team.id
    assert ProjectMirror(project, one.path, one.team).id != one.team.id


def test_of_two_changes_of_a_team_memory_the_later_waits_in_the_project_at_every_server(
    servers: tuple[Server, Server],
) -> None:
    one, two = servers
    name = one.remember_for_the_team()
    one.sync()
    two.hear()
    for server, words in ((one, "As one says"), (two, "As two says")):
        change_entry(server.app, find_entry(server.app, name), {"title": words})
    one.sync()
    two.hear()
    one.hear()

    assert {find_entry(server.app, name).memory.title for server in servers} == {"As one says"}
    [candidate] = list_waiting(one.app)
    assert candidate.memory.title == "As two says"
    answer = ResolveRequest(choice=Resolution.KEEP_BOTH, because="Both are said")
    done = accept(one.app, [candidate.memory.id], answer=answer)
    assert [each.entry.scope for each in done.accepted] == [Scope.TEAM]
