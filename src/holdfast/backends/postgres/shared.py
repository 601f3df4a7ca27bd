"""A project's files and events in PostgreSQL, as a team has them."""

from collections.abc import Mapping, Sequence

from holdfast.backends.postgres.database import Space
from holdfast.backends.postgres.feed import last
from holdfast.backends.postgres.files import CANDIDATES, MEMORY, PostgresVault
from holdfast.backends.postgres.journal import PostgresJournal
from holdfast.domain.event import Event, Receipt
from holdfast.domain.memory import Scope
from holdfast.ports.shared import Held
from holdfast.ports.vault import Texts

PLACES = (MEMORY, CANDIDATES)


class PostgresShared:
    """One project's space."""

    def __init__(self, space: Space, texts: Texts) -> None:
        self._space = space
        self._vaults = {place: PostgresVault(space, texts, Scope.WORKSPACE, place) for place in PLACES}
        self._journal = PostgresJournal(space)

    @property
    def name(self) -> str:
        """The team and the project."""
        return f"{self._space.team.name}/{self._space.name}"

    def mark(self) -> int:
        """The number of the newest thing that happened."""
        return last(self._space)

    def files(self) -> Mapping[str, Held]:
        """Every file with its sum."""
        asked = "SELECT place || '/' || path, sha256, author FROM file WHERE space = %s AND place = ANY (%s)"
        with self._space.reading() as cursor:
            found = cursor.execute(asked, (self._space.id, list(PLACES)))
            return {str(path): Held(sha256=str(digest), author=str(author)) for path, digest, author in found}

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None when it is gone."""
        place, _, inner = path.partition("/")
        return self._vaults[place].raw(inner)

    def swap(self, path: str, data: bytes | None, then: str) -> str:
        """Put a file (None: remove it) if its sum is still `then`; empty, or the sum it has instead."""
        place, _, inner = path.partition("/")
        return self._vaults[place].swap(inner, data, then)

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events into the team's journal; a key seen before is not written again."""
        return self._journal.append(events)
