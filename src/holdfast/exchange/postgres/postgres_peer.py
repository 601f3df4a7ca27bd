"""A project's files, records and events in PostgreSQL, as a team has them."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.core.event import Event, Receipt
from holdfast.core.memory import Scope
from holdfast.core.vault_store import Texts
from holdfast.exchange.peer import Held, PeerChanges, Swap
from holdfast.exchange.postgres.change_feed import feed_mark as mark_of
from holdfast.exchange.postgres.change_feed import files_moved_since
from holdfast.exchange.postgres.database import PROJECT, Cursor, DatabaseSpace
from holdfast.exchange.postgres.postgres_files import CANDIDATES, MEMORY, PostgresVault
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.postgres.postgres_marks import PostgresMarks
from holdfast.exchange.postgres.postgres_records import RECORDS, PostgresRecords

PLACES = (MEMORY, CANDIDATES)
# Beyond so many it is no dearer to look at all of them.
MOST_NEWS = 2_000


class PostgresPeer:
    """One project's space."""

    def __init__(self, space: DatabaseSpace, texts: Texts) -> None:
        self._space = space
        self._vaults = {place: PostgresVault(space, texts, Scope.WORKSPACE, place) for place in PLACES}
        self._records = PostgresRecords(space)
        self._journal = PostgresJournal(space)

    @property
    def name(self) -> str:
        """The team and the project; of what is no project's, also what it is."""
        kind = "" if self._space.kind == PROJECT else f"{self._space.kind}:"
        return f"{self._space.team.name}/{kind}{self._space.name}"

    @property
    def marks(self) -> PostgresMarks:
        """What was purged from the space."""
        return PostgresMarks(self._space)

    def since(self, mark: str) -> PeerChanges:
        """What changed since a mark, as the feed tells it."""
        with self._space.reading() as cursor:
            now = mark_of(cursor, self._space)
            moved = files_moved_since(cursor, self._space, mark)
            if moved is None or len(moved) > MOST_NEWS:
                return PeerChanges(mark=now)
            return PeerChanges(mark=now, files=self._held(cursor, moved))

    def files(self) -> Mapping[str, Held]:
        """Every file with its sum."""
        asked = "SELECT place || '/' || path, sha256, author FROM file WHERE space = %s AND place = ANY (%s)"
        with self._space.reading() as cursor:
            found = _rows(cursor.execute(asked, (self._space.id, list(PLACES))))
            return found | {_record(path): held for path, held in self._records.sums(cursor).items()}

    def fetch(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The bytes of several files; those that are gone are left out."""
        wanted = [_split_place(path) for path in paths if "\0" not in path]
        asked = """
            SELECT place || '/' || path, data FROM file
            JOIN unnest(%s::text[], %s::text[]) AS wanted (place, path) USING (place, path) WHERE space = %s
        """
        with self._space.reading() as cursor:
            given = [place for place, _ in wanted], [inner for _, inner in wanted], self._space.id
            files = {str(path): bytes(data) for path, data in cursor.execute(asked, given)}
            bodies = self._records.bodies(cursor, [inner for place, inner in wanted if place == RECORDS])
        return files | {_record(path): data for path, data in bodies.items()}

    def swap(self, path: str, data: bytes | None, then: str) -> str:
        """Put a file (None: remove it) if its sum is still `then`; empty, or the sum it has instead."""
        return self.put([Swap(path=path, data=data, then=then)])[0]

    def put(self, swaps: Sequence[Swap]) -> Sequence[str]:
        """Several swaps, each for itself; an answer for each."""
        records = [Swap(path=_split_place(each.path)[1], data=each.data, then=each.then) for each in swaps
                   if _split_place(each.path)[0] == RECORDS]  # fmt: skip
        answers = iter(self._records.put(records) if records else ())
        return [next(answers) if _split_place(each.path)[0] == RECORDS else self._swapped(each) for each in swaps]

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events into the team's journal; a key seen before is not written again."""
        return self._journal.append(events)

    def _swapped(self, swap: Swap) -> str:
        place, inner = _split_place(swap.path)
        return self._vaults[place].swap(inner, swap.data, swap.then)

    def _held(self, cursor: Cursor, moved: Iterable[tuple[str, str]]) -> dict[str, Held | None]:
        """What stands at these places now; None where nothing does."""
        known = [(place, path) for place, path in moved if place in (*PLACES, RECORDS)]
        found: dict[str, Held | None] = dict.fromkeys(f"{place}/{path}" for place, path in known)
        asked = """
            SELECT place || '/' || path, sha256, author FROM file
            JOIN unnest(%s::text[], %s::text[]) AS moved (place, path) USING (place, path) WHERE space = %s
        """
        given = [place for place, _ in known], [path for _, path in known], self._space.id
        records = [path for place, path in known if place == RECORDS]
        there = _rows(cursor.execute(asked, given))
        return found | there | {_record(path): held for path, held in self._records.sums_of(cursor, records).items()}


def _rows(found: Iterable[tuple[object, ...]]) -> dict[str, Held]:
    return {str(path): Held(sha256=str(digest), author=str(author)) for path, digest, author in found}


def _split_place(path: str) -> tuple[str, str]:
    place, _, inner = path.partition("/")
    return place, inner


def _record(path: str) -> str:
    return f"{RECORDS}/{path}"
