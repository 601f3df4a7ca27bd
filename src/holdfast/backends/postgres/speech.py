"""What was said, in the index: put, forgotten, found."""

from collections.abc import Iterable, Sequence

from holdfast.backends.postgres import meaning
from holdfast.backends.postgres.counts import Counted, count_groups, count_in, count_out, numbers_of, put_rows
from holdfast.backends.postgres.database import Cursor, Row, Space
from holdfast.backends.postgres.rows import spoken_row, storable
from holdfast.backends.postgres.words import ranked
from holdfast.domain.event import Cursor as Place
from holdfast.domain.search import Change, Said, SessionRow, Spoken, SpokenQuery
from holdfast.ports.passages import SAID

_COLUMNS = 'row, number, kind, id, part, "group", ts, client, said_by, text'
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


def put_speech(cursor: Cursor, space: Space, change: Change) -> None:
    """Bring in what was said, and take out what is gone or is written anew."""
    forget(cursor, space, [*change.pages_gone, *(page.path for page in change.pages)])
    if change.pages_gone:
        gone = "DELETE FROM page WHERE space = %s AND path = ANY (%s)"
        cursor.execute(gone, (space.id, list(change.pages_gone)))
    if change.pages:
        put = "INSERT INTO page VALUES (%s, %s, %s) ON CONFLICT (space, path) DO UPDATE SET stamp = excluded.stamp"
        cursor.executemany(put, [(space.id, page.path, page.stamp) for page in change.pages])
    forget(cursor, space, {spoken.id for spoken in change.spoken})
    _put(cursor, space, [*change.spoken, *(spoken for page in change.pages for spoken in page.spoken)])
    forget(cursor, space, change.forgotten)


def forget(cursor: Cursor, space: Space, ids: Iterable[str]) -> None:
    """Take out all passages of some events or pages."""
    wanted = sorted({storable(each) for each in ids})
    if not wanted:
        return
    asked = 'SELECT row, number, worded, names, "group" FROM spoken WHERE space = %s AND id = ANY (%s)'
    found = cursor.execute(asked, (space.id, wanted)).fetchall()
    if not found:
        return
    counted = [
        Counted(row=row, group=number, terms=worded.split(), names=names) for row, number, worded, names, _ in found
    ]
    meaning.forget_vectors(cursor, space, SAID, [each.row for each in counted])
    count_out(cursor, space, SAID, counted)
    cursor.execute("DELETE FROM spoken WHERE space = %s AND id = ANY (%s)", (space.id, wanted))
    groups = sorted({str(group) for *_, group in found})
    left = 'SELECT count(DISTINCT "group") FROM spoken WHERE space = %s AND "group" = ANY (%s)'
    still = cursor.execute(left, (space.id, groups)).fetchone() or (0,)
    count_groups(cursor, space, SAID, int(still[0]) - len(groups))


def find(cursor: Cursor, space: Space, query: SpokenQuery) -> list[Said]:
    """Best first, equal scores the newest first."""
    if not query.terms or not query.kinds:
        return []
    order = 'ts COLLATE "C" DESC, row'
    rows = ranked(
        cursor, space, SAID, query.terms, _COLUMNS, order, where="kind = ANY (%(kinds)s)",
        values={"kinds": list(query.kinds)}, limit=query.limit,
    )  # fmt: skip
    return [_said(cursor, space, row) for row in rows]


def by_rows(cursor: Cursor, space: Space, scored: Sequence[tuple[int, float]]) -> list[Said]:
    """Passages by their rows, in the order given, each with its score."""
    asked = f"SELECT {_COLUMNS} FROM spoken WHERE space = %s AND row = ANY (%s)"  # noqa: S608 -- columns are ours
    rows = cursor.execute(asked.encode(), (space.id, [row for row, _ in scored])).fetchall()
    found = {row[0]: row for row in rows}
    return [_said(cursor, space, (score, *found[row])) for row, score in scored if row in found]


def sessions(cursor: Cursor, space: Space) -> list[SessionRow]:
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


def _put(cursor: Cursor, space: Space, new: Sequence[Spoken]) -> None:
    if not new:
        return
    groups = list(dict.fromkeys(storable(spoken.group) for spoken in new))
    asked = 'SELECT "group", min(number) FROM spoken WHERE space = %s AND "group" = ANY (%s) GROUP BY "group"'
    numbers = {str(group): int(number) for group, number in cursor.execute(asked, (space.id, groups))}
    fresh = len(groups) - len(numbers)
    terms = numbers_of(cursor, space, SAID, (term for spoken in new for term in spoken.terms))
    first = space.number(cursor, "spoken", len(new)) - len(new) + 1
    for row, spoken in enumerate(new, first):
        # A group goes by its first row: no other group can have that number.
        numbers.setdefault(storable(spoken.group), row)
    rows = [
        (space.id, *spoken_row(row, numbers[storable(spoken.group)], spoken, terms))
        for row, spoken in enumerate(new, first)
    ]
    put_rows(cursor, "spoken", rows)
    counted = [
        Counted(row=row, group=numbers[storable(spoken.group)], terms=spoken.terms, names=spoken.names)
        for row, spoken in enumerate(new, first)
    ]
    count_in(cursor, space, SAID, counted)
    count_groups(cursor, space, SAID, fresh)


def _said(cursor: Cursor, space: Space, found: Row) -> Said:
    score, row, number, kind, spoken_id, part, group, ts, client, said_by, text = found
    near = "SELECT text FROM spoken WHERE space = %s AND number = %s AND row {} %s ORDER BY row {} LIMIT 1"
    place = space.id, number, row
    before = cursor.execute(near.format("<", "DESC").encode(), place).fetchone()
    after = cursor.execute(near.format(">", "ASC").encode(), place).fetchone()
    spoken = Spoken(
        kind=kind, id=spoken_id, part=part, group=group, ts=ts, client=client, said_by=said_by, text=text, terms=()
    )  # fmt: skip
    return Said(
        spoken=spoken, score=float(score), before=before[0] if before else "", after=after[0] if after else ""
    )  # fmt: skip
