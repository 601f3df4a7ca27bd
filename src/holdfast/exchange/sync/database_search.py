"""Search in a team's database itself: every project that a person sees, without a checkout of any."""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from holdfast.core.errors import NotFound
from holdfast.core.search import Found, Question
from holdfast.core.value import Value, replace
from holdfast.exchange.open_database import open_database
from holdfast.exchange.open_database import open_team as team_as
from holdfast.exchange.postgres.space_index import open_team_index
from holdfast.exchange.sync.team_database import DatabaseSelector
from holdfast.recall.find import check_question
from holdfast.recall.rank import search_indexes
from holdfast.workspace import App, need_person

if TYPE_CHECKING:
    from holdfast.exchange.postgres.database import DatabaseSpace, TeamSpaces

__all__ = ["ProjectHits", "search_database"]


class ProjectNotVisible(NotFound):
    """A project that the person does not see."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no project {name!r} that you see.", "`holdfast team database status` lists them.")


class ProjectHits(Value):
    """What was found in one project; its name is empty for what belongs to the whole team."""

    project: str
    found: Found


def search_database(app: App, named: DatabaseSelector, question: Question, recipe: str = "") -> list[ProjectHits]:
    """The best hits in each project, and in the team's own memory, ranked as `search` does; the surest place first."""
    # What others wrote reaches an agent only through a workspace that a person allowed.
    need_person(app, "team database search")
    check_question(question)
    asked = replace(question, now=app.clock.now())
    with closing(open_database(app, named.url)) as held:
        team = team_as(app, held.open(), named.team, named.person)
        indexes = [(name, open_team_index(space)) for name, space in _spaces(team, named.project)]
        answers = search_indexes(app, asked, [index for _, index in indexes], recipe, rerank=True)
    found = [ProjectHits(project=name, found=each.found) for (name, _), each in zip(indexes, answers, strict=True)]
    return sorted(found, key=lambda each: min(((hit.weak, -hit.score) for hit in each.found.hits), default=(True, 0.0)))


def _spaces(team: "TeamSpaces", wanted: str) -> "Iterator[tuple[str, DatabaseSpace]]":
    names = team.projects()
    if wanted and wanted not in names:
        raise ProjectNotVisible(wanted)
    for name in [wanted] if wanted else names:
        yield name, team.project(name)
    if not wanted:
        yield "", team.shared
