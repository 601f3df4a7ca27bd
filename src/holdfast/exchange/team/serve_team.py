"""A team's database as workspaces of this server, its projects and its own memory: several servers serve one team."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from holdfast.config.registry import RegisteredWorkspace
from holdfast.config.teams import TeamHere
from holdfast.core.errors import BadRequest, NotFound, Unavailable
from holdfast.exchange.postgres.database import PostgresDatabase
from holdfast.exchange.postgres.listen_feed import Listener
from holdfast.exchange.sync.project_mirror import Mirror
from holdfast.exchange.team.team_mirror import ProjectMirror, TeamMirror

FRESH_SECONDS = 2.0
MOST_CONNECTIONS = 8


class TeamMirrors:
    """One team's projects. Asked from any thread; what others change is heard at once."""

    def __init__(self, home: str, url: str, team: str, person: str) -> None:
        self._home = home
        self._url = url
        self._database = PostgresDatabase(url, most=MOST_CONNECTIONS)
        self._names = team, person
        self._lock = threading.Lock()
        self._known: dict[str, ProjectMirror] = {}
        self._looked = float("-inf")
        self._woken: Callable[[str], None] | None = None
        self._listener: Listener | None = None

    def open(self) -> None:
        """Ready, or the reason why not: NotMigrated, NewerDatabase, DatabaseAway."""
        self._team = self._database.open().team(*self._names)
        self._own = TeamMirror(self._team.shared, self._home)

    def listen(self, woken: Callable[[str], None]) -> None:
        """Have the id of each workspace told that others changed; from a thread of its own."""
        self._woken = woken
        self._listener = Listener(self._url, self._moved, self._back)
        self._listener.start()

    def close(self) -> None:
        """Listen no more, and release every connection."""
        if self._listener is not None:
            self._listener.stop()
        self._database.close()

    def rows(self) -> list[RegisteredWorkspace]:
        """Every project that is seen; while the database is away, those of the last look."""
        self._look()
        return [mirror.registered for mirror in self._known.values()]

    @property
    def team(self) -> TeamHere:
        """The team, and the workspace of its own memory; it is in no list, being no project."""
        return TeamHere(name=self._team.name, workspace=self._own.id)

    def mirror(self, workspace_id: str) -> Mirror | None:
        """A project by its workspace's id, or the team's own memory."""
        if workspace_id == self._own.id:
            return self._own
        if workspace_id not in self._known:
            self._look()
        return self._known.get(workspace_id)

    def _look(self) -> None:
        with self._lock:
            if time.monotonic() - self._looked < FRESH_SECONDS:
                return
            try:
                names = self._team.projects()
                # A name that is known is not asked for again.
                known = {each.space.name: each for each in self._known.values()}
                made = [each for name in names if (each := known.get(name) or self._made(name))]
            except Unavailable:
                # Asked again after a while, and not by every request.
                made = list(self._known.values())
            self._known = {each.id: each for each in made}
            self._looked = time.monotonic()

    def _made(self, project: str) -> ProjectMirror | None:
        """A project's mirror; one that cannot be had, closed since we looked or misnamed, takes no other with it."""
        with suppress(NotFound, BadRequest):
            return ProjectMirror(self._team.project(project), self._home, self._own)
        return None

    def _moved(self, space: int, n: int) -> None:
        """What moved is told to whom it concerns: the team's memory to every project."""
        theirs = space == self._own.space.id
        if theirs:
            self._own.moved(n)
            self._wake(self._own)
        for each in list(self._known.values()):
            if each.space.id == space:
                each.moved(n)
            if theirs or each.space.id == space:
                self._wake(each)

    def _back(self) -> None:
        """Whatever was said while nobody listened is in the feed: look at every project again."""
        for each in (self._own, *self._known.values()):
            each.doubt()
            self._wake(each)

    def _wake(self, mirror: Mirror) -> None:
        if self._woken is not None:
            self._woken(mirror.id)
