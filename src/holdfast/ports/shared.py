"""Where a team keeps a project's memory: a database, or a server in front of one."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from holdfast.domain.event import Event, Receipt
from holdfast.domain.value import Value

GONE = "gone"


class Held(Value):
    """A file as the team has it. `author`: who changed it last."""

    sha256: str
    author: str = ""


class Shared(Protocol):
    """The files and events of one project, as a team has them. Paths begin with `memory/` or `candidates/`."""

    @property
    def name(self) -> str:
        """What it is called in what we keep of it: the team and the project."""

    def mark(self) -> int:
        """A number that grows with every change of a file."""

    def files(self) -> Mapping[str, Held]:
        """Every file with its sum."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None when it is gone."""

    def swap(self, path: str, data: bytes | None, then: str) -> str:
        """Put a file (None: remove it) if its sum is still `then` (empty: it is not there).

        Empty when done; otherwise the sum it has instead, or `GONE`: then nothing was written.
        """

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events into the team's journal; a key seen before is not written again."""
