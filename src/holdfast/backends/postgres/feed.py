"""What happened in a space: told to every listening server, and kept so that nobody misses it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.backends.postgres.database import CHANNEL, Cursor, Space
from holdfast.domain.value import Value

KEPT = 10_000
TRIM_EVERY = 1_000
COUNTER = "feed"
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


class Told(Value):
    """One thing that happened, by its number in the space."""

    n: int
    kind: str
    data: Mapping[str, Any]
    author: str = ""


def tell(cursor: Cursor, space: Space, kind: str, data: Mapping[str, Any]) -> int:
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


def last(space: Space) -> int:
    """The number of the newest."""
    with space.reading() as cursor:
        found = cursor.execute("SELECT value FROM counter WHERE space = %s AND name = %s", (space.id, COUNTER))
        row = found.fetchone()
        return int(row[0]) if row else 0


def since(space: Space, n: int) -> tuple[list[Told], bool]:
    """What followed a number, oldest first, and whether that is all: what is older than we keep is gone."""
    with space.reading() as cursor:
        asked = "SELECT n, kind, data, author FROM feed WHERE space = %s AND n > %s ORDER BY n"
        found = [_told(row) for row in cursor.execute(asked, (space.id, n))]
    whole = not found or found[0].n == n + 1
    return found, whole


def _told(row: tuple[Any, ...]) -> Told:
    n, kind, data, author = row
    return Told(n=int(n), kind=str(kind), data=json.loads(data), author=str(author))


def numbers(payload: str) -> Iterator[tuple[int, int]]:
    """The space and the number that a notification names; nothing for one that is not ours."""
    space, _, n = payload.partition(":")
    if space.isdecimal() and n.isdecimal():
        yield int(space), int(n)
