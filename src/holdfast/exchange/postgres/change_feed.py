"""What happened in a space: told to every listening server, and kept so that nobody misses it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.value import Value
from holdfast.exchange.postgres.database import CHANNEL, Cursor, DatabaseSpace
from holdfast.exchange.postgres.row_json import read_object

KEPT = 10_000
TRIM_EVERY = 1_000
COUNTER = "feed"
FILE_KINDS = ("file_changed", "file_removed")
# Something moved, and what it was is told to nobody any more.
PURGED = "purged"
TELLING = (*FILE_KINDS, PURGED)
LONGEST_NUMBER = 18
_TELL = """
    WITH next AS (
        INSERT INTO counter (space, name, value) VALUES (%(space)s, %(name)s, 1)
        ON CONFLICT (space, name) DO UPDATE SET value = counter.value + 1 RETURNING value
    ), told AS (
        INSERT INTO feed (space, n, kind, data, author)
        SELECT %(space)s, value, %(kind)s, %(data)s, %(author)s FROM next RETURNING n
    )
    SELECT n, pg_notify(%(channel)s, %(space)s || ':' || n) FROM told
"""


class SpaceFeedEntry(Value):
    """One thing that happened, by its number in the space."""

    n: int
    kind: str
    data: Mapping[str, Any]


def append_entry(cursor: Cursor, space: DatabaseSpace, kind: str, data: Mapping[str, Any]) -> int:
    """Tell it with the transaction: it is told when that is durable, and not at all otherwise."""
    given = {
        "space": space.id, "name": COUNTER, "kind": kind, "data": json.dumps(data), "author": space.team.person,
        "channel": CHANNEL,
    }  # fmt: skip
    found = cursor.execute(_TELL, given).fetchone()
    n = int(found[0]) if found else 0
    if n % TRIM_EVERY == 0:
        cursor.execute("DELETE FROM feed WHERE space = %s AND n <= %s", (space.id, n - KEPT))
    return n


def newest_number(space: DatabaseSpace) -> int:
    """The number of the newest."""
    with space.reading() as cursor:
        return _newest_number(cursor, space)


def feed_mark(cursor: Cursor, space: DatabaseSpace) -> str:
    """Where the feed stands: its newest number, and when that was written. So another history is not taken for it."""
    n = _newest_number(cursor, space)
    return f"{n}:{_written_at(cursor, space, n)}"


def files_moved_since(cursor: Cursor, space: DatabaseSpace, then: str) -> set[tuple[str, str]] | None:
    """The files that moved since a mark, by place and path; None where the feed does not know the mark any more."""
    number, _, written = then.partition(":")
    if not number.isdecimal() or len(number) > LONGEST_NUMBER or _written_at(cursor, space, int(number)) != written:
        return None
    found = _entries_after(cursor, space, int(number))
    moved = {_text(each, "place", "path") for each in found if each.kind in TELLING}
    # What was forgotten is told without its name: then only a look at all of them tells what it was.
    if (found and found[0].n != int(number) + 1) or not all(place and path for place, path in moved):
        return None
    return moved


def _newest_number(cursor: Cursor, space: DatabaseSpace) -> int:
    found = cursor.execute("SELECT value FROM counter WHERE space = %s AND name = %s", (space.id, COUNTER))
    row = found.fetchone()
    return int(row[0]) if row else 0


def _entries_after(cursor: Cursor, space: DatabaseSpace, n: int) -> list[SpaceFeedEntry]:
    asked = "SELECT n, kind, data FROM feed WHERE space = %s AND n > %s ORDER BY n"
    return [_entry_of(row) for row in cursor.execute(asked, (space.id, n))]


def _written_at(cursor: Cursor, space: DatabaseSpace, n: int) -> str:
    """When a number was written, in microseconds; empty where it is not kept."""
    asked = "SELECT (extract(epoch FROM at) * 1000000)::bigint FROM feed WHERE space = %s AND n = %s"
    row = cursor.execute(asked, (space.id, n)).fetchone()
    return str(row[0]) if row else ""


def _entry_of(row: tuple[Any, ...]) -> SpaceFeedEntry:
    n, kind, data = row
    return SpaceFeedEntry(n=int(n), kind=str(kind), data=read_object(data))


def _text(told: SpaceFeedEntry, place: str, path: str) -> tuple[str, str]:
    held = told.data.get(place), told.data.get(path)
    return (held[0], held[1]) if isinstance(held[0], str) and isinstance(held[1], str) else ("", "")


def parse_notification(payload: str) -> Iterator[tuple[int, int]]:
    """The space and the number that a notification names; nothing for one that is not ours."""
    # Whoever may connect may send one: a number is read only where it can be one.
    space, _, n = payload.partition(":")
    if all(each.isdecimal() and len(each) <= LONGEST_NUMBER for each in (space, n)):
        yield int(space), int(n)
