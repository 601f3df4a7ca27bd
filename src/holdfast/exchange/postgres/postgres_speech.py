"""What was said, in the index: put, forgotten, found."""

from collections.abc import Iterable, Sequence

from holdfast.core.event import Cursor as Place
from holdfast.core.passage_store import SAID
from holdfast.core.search import Change, SessionRow, Spoken, SpokenHit, SpokenQuery
from holdfast.exchange.postgres import postgres_vectors
from holdfast.exchange.postgres.bm25 import weigh_rows
from holdfast.exchange.postgres.bulk_rows import put_rows
from holdfast.exchange.postgres.collection_counts import (
    PostgresPassageCounts,
    count_groups,
    count_in,
    count_out,
    counts_of_row,
)
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace, Row
from holdfast.exchange.postgres.index_rows import split_names, spoken_row, strip_unstorable, weigh_terms

SPOKEN = "integer text text integer text integer text text text text text real integer text text"
_NEAR = """
    (SELECT near.text FROM spoken AS near WHERE near.space = %(space)s AND near.number = here.number
     AND near.row {} here.row ORDER BY near.row {} LIMIT 1)
"""
_FOUND = f"""
    SELECT row, kind, id, part, "group", ts, client, said_by, text, {_NEAR.format("<", "DESC")}, {_NEAR.format(">", "")}
    FROM spoken AS here WHERE space = %(space)s AND row = ANY (%(rows)b)
"""  # noqa: S608 -- columns are ours
# An id grows with the journal, so the first and the last id of a session are its first and last event there.
_SESSIONS = """
    SELECT s.session, first.client, s.first, s.last, s.ts, last.name, s.events, first.segment, first.place
    FROM (SELECT session, min(id COLLATE "C") AS first, max(id COLLATE "C") AS last, max(ts COLLATE "C") AS ts,
                 count(*) AS events
          FROM event WHERE space = %(space)s AND session <> '' AND client <> 'holdfast' GROUP BY session) AS s
    JOIN event AS first ON first.space = %(space)s AND first.id = s.first
    JOIN event AS last ON last.space = %(space)s AND last.id = s.last
    ORDER BY s.first COLLATE "C"
"""


def put_speech(cursor: Cursor, space: DatabaseSpace, change: Change) -> None:
    """Bring in what was said, and take out what is gone or is rewritten."""
    forget_speech(cursor, space, [*change.deleted_pages, *(page.path for page in change.pages)])
    if change.deleted_pages:
        gone = "DELETE FROM page WHERE space = %s AND path = ANY (%s)"
        cursor.execute(gone, (space.id, list(change.deleted_pages)))
    if change.pages:
        newer = "ON CONFLICT (space, path) DO UPDATE SET stamp = excluded.stamp"
        stamps = {page.path: page.stamp for page in change.pages}
        put_rows(cursor, space, "page", "text text", list(stamps.items()), newer)
    forget_speech(cursor, space, {spoken.id for spoken in change.spoken})
    _put_passages(cursor, space, [*change.spoken, *(spoken for page in change.pages for spoken in page.spoken)])
    forget_speech(cursor, space, change.forgotten)


def forget_speech(cursor: Cursor, space: DatabaseSpace, ids: Iterable[str]) -> None:
    """Take out all passages of some events or pages."""
    wanted = sorted({strip_unstorable(each) for each in ids})
    if not wanted:
        return
    asked = 'SELECT row, number, worded, names, "group" FROM spoken WHERE space = %s AND id = ANY (%s)'
    found = cursor.execute(asked, (space.id, wanted)).fetchall()
    if not found:
        return
    counted = [counts_of_row(row, number, worded, split_names(names)) for row, number, worded, names, _ in found]
    postgres_vectors.forget_vectors(cursor, space, SAID, [each.row for each in counted])
    count_out(cursor, space, SAID, counted)
    cursor.execute("DELETE FROM spoken WHERE space = %s AND id = ANY (%s)", (space.id, wanted))
    groups = sorted({str(group) for *_, group in found})
    left = 'SELECT count(DISTINCT "group") FROM spoken WHERE space = %s AND "group" = ANY (%s)'
    still = cursor.execute(left, (space.id, groups)).fetchone() or (0,)
    count_groups(cursor, space, SAID, int(still[0]) - len(groups))


def find_speech(cursor: Cursor, space: DatabaseSpace, query: SpokenQuery) -> list[SpokenHit]:
    """Best first, equal scores the newest first."""
    if not query.terms or not query.kinds:
        return []
    found: list[tuple[float, Row]] = []
    for look in weigh_rows(cursor, space, SAID, query.terms).looks():
        scores = {row: score for score, row in look}
        given = {"space": space.id, "rows": [*scores], "kinds": list(query.kinds)}
        rows = cursor.execute(f'{_FOUND} AND kind = ANY (%(kinds)s) ORDER BY ts COLLATE "C" DESC, row'.encode(), given)
        found += sorted(((scores[row[0]], row) for row in rows), key=lambda each: -each[0])
        if len(found) >= query.limit:
            break
    return [_said_of_row(score, row) for score, row in found[: query.limit]]


def speech_by_rows(cursor: Cursor, space: DatabaseSpace, scored: Sequence[tuple[int, float]]) -> list[SpokenHit]:
    """Passages by their rows, in the order given, each with its score."""
    given = {"space": space.id, "rows": [row for row, _ in scored]}
    found = {row[0]: row for row in cursor.execute(_FOUND.encode(), given)}
    return [_said_of_row(score, found[row]) for row, score in scored if row in found]


def list_sessions(cursor: Cursor, space: DatabaseSpace) -> list[SessionRow]:
    """Every session of a client, in the order they began."""
    return [
        SessionRow(
            session=session, client=client, first=first, last=last, ts=ts, last_name=name, events=events,
            place=Place(segment=segment, offset=offset),
        )
        for session, client, first, last, ts, name, events, segment, offset in cursor.execute(
            _SESSIONS, {"space": space.id}
        )
    ]  # fmt: skip


def _put_passages(cursor: Cursor, space: DatabaseSpace, new: Sequence[Spoken]) -> None:
    if not new:
        return
    groups = list(dict.fromkeys(strip_unstorable(spoken.group) for spoken in new))
    asked = 'SELECT "group", min(number) FROM spoken WHERE space = %s AND "group" = ANY (%s) GROUP BY "group"'
    numbers = {str(group): int(number) for group, number in cursor.execute(asked, (space.id, groups))}
    fresh = len(groups) - len(numbers)
    first = space.number(cursor, "spoken", len(new)) - len(new) + 1
    for row, spoken in enumerate(new, first):
        # A group goes by its first row: no other group can have that number.
        numbers.setdefault(strip_unstorable(spoken.group), row)
    rows = [spoken_row(row, numbers[strip_unstorable(spoken.group)], spoken) for row, spoken in enumerate(new, first)]
    put_rows(cursor, space, "spoken", SPOKEN, rows)
    counted = [
        PostgresPassageCounts(
            row=row, group=numbers[strip_unstorable(spoken.group)], terms=weigh_terms((spoken.terms, 1)),
            size=len(spoken.terms), names=spoken.names,
        )
        for row, spoken in enumerate(new, first)
    ]  # fmt: skip
    count_in(cursor, space, SAID, counted)
    count_groups(cursor, space, SAID, fresh)


def _said_of_row(score: float, found: Row) -> SpokenHit:
    _, kind, spoken_id, part, group, ts, client, said_by, text, before, after = found
    spoken = Spoken(
        kind=kind, id=spoken_id, part=part, group=group, ts=ts, client=client, said_by=said_by, text=text, terms=()
    )  # fmt: skip
    return SpokenHit(spoken=spoken, score=float(score), before=before or "", after=after or "")
