"""Where a team keeps a project's memory: a database, or a server in front of one."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from holdfast.core.errors import BadRequest
from holdfast.core.event import Event, Receipt
from holdfast.core.value import Value
from holdfast.forget.purge_marks import Marks

GONE = "gone"


class PeerRefused(BadRequest):
    """The other side will never take this, however often it is sent. `fresh`: events that it took before."""

    fresh = 0


class Held(Value):
    """A file as the team has it. `author`: who changed it last."""

    sha256: str
    author: str = ""


class Swap(Value):
    """A file as it shall be (None: gone), if its sum is still `then` (empty: it is not there)."""

    path: str
    data: bytes | None
    then: str


class PeerChanges(Value):
    """Where a team's history stands, and what changed since a mark: None for a file that is gone.

    Without `files` that is not known any more: ask for all of them. `by_sum`: the mark says how things are, and not
    when, so that it is no good once we wrote ourselves: they may become again as they were.
    """

    mark: str
    files: Mapping[str, Held | None] | None = None
    by_sum: bool = False


class Peer(Protocol):
    """The files and events of one project, as a team has them.

    Paths begin with `memory/`, `candidates/`, or `records/` and a kind: runs, ratings, cost.
    """

    @property
    def name(self) -> str:
        """What it is called in what we keep of it: the team and the project."""

    @property
    def marks(self) -> Marks:
        """What was purged there."""

    def since(self, mark: str) -> PeerChanges:
        """What changed since a mark of before. An empty mark is never known."""

    def files(self) -> Mapping[str, Held]:
        """Every file with its sum."""

    def fetch(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The bytes of several files; those that are gone are left out."""

    def swap(self, path: str, data: bytes | None, then: str) -> str:
        """Put a file (None: remove it) if its sum is still `then` (empty: it is not there).

        Empty when done; otherwise the sum it has instead, or `GONE`: then nothing was written. Raises NotTaken.
        """

    def put(self, swaps: Sequence[Swap]) -> Sequence[str]:
        """Several swaps, each for itself; an answer for each. Raises NotTaken where one of them will never do."""

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events into the team's journal; a key seen before is not written again.

        Raises NotTaken where one of them will never do; some of those before it may have been written then.
        """
