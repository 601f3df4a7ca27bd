"""What a running server has: its workspaces, its tokens, its figures, and whether it is about to stop."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

from holdfast.server.http.limits import Buckets, RequestLimits, TooManyRequests
from holdfast.server.http.metrics import OPEN_WORKSPACES, RUNS, SOCKETS, Metrics
from holdfast.server.http.open_workspaces import TeamProjects, WorkspaceManager
from holdfast.server.http.security.server_names import ServerNames
from holdfast.server.http.security.server_tokens import TokenStore
from holdfast.server.http.security.tickets import Tickets

NOTHING: Mapping[str, str] = {}


class Serving:
    """One server's parts; `request.app.state.serving` in routes."""

    def __init__(
        self,
        home: str,
        own: ServerNames,
        *,
        limits: RequestLimits | None = None,
        first: str = "",
        mirrors: TeamProjects | None = None,
        flags: Mapping[str, str] = NOTHING,
    ) -> None:
        """`first`: the folder of the workspace that comes first, or an empty text. `mirrors`: a team's, instead.

        `flags`: settings given with --set; they hold in every workspace.
        """
        self.mirrors = mirrors
        self.flags = flags
        self.home = home
        self.own = own
        self.limits = limits or RequestLimits()
        self.metrics = Metrics()
        self.tokens = TokenStore(home)
        self.tickets = Tickets()
        also = (first,) if first else ()
        self.workspaces = WorkspaceManager(home, metrics=self.metrics, also=also, mirrors=mirrors, flags=flags)
        self.started = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        self.stopping = asyncio.Event()
        """Set when the server is about to stop: sockets send what they hold, then close with 1012."""
        self._guesses = Buckets(self.limits.guesses_per_second, self.limits.guesses)
        self.metrics.watch(OPEN_WORKSPACES, lambda: len(self.workspaces.open_now()))
        self.metrics.watch(RUNS, lambda: sum(bool(each.runs.active) for each in self.workspaces.open_now()))

    def slow_down(self, address: str) -> None:
        """Somebody at an address gave no good token: raise TooMany where that was too often.

        Who gives a good one is never held up by this, so that nobody can lock the person out.
        """
        wait = self._guesses.take(address)
        if wait:
            raise TooManyRequests(wait)

    @property
    def sockets(self) -> int:
        """Open sockets."""
        return int(self.metrics.value(SOCKETS))
