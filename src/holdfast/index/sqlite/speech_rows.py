"""What was said, in the index: put, forgotten, found; and the sessions it was said in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import apsw

from holdfast.core.event import Cursor
from holdfast.core.passage_store import read_words
from holdfast.core.search import Change, SessionRow, Spoken, SpokenHit, SpokenQuery
from holdfast.core.shelf import pack_numbers
from holdfast.index.sqlite.collections import SAID
from holdfast.index.sqlite.term_counts import BETWEEN, SqlitePassageCounts, count_groups, count_in, count_out
from holdfast.index.sqlite.vector_rows import forget_vectors

_COLUMNS = 'kind, id, part, "group", ts, client, said_by, text'
_UNWRITE = "INSERT INTO speech (speech, rowid, terms) SELECT 'delete', row, terms FROM spoken WHERE id = ?"
_GROUP = 'SELECT number FROM spoken WHERE "group" = ? LIMIT 1'
# An id grows with the journal, so the first and the last id of a session are its first and last event there.
_SESSIONS = """
SELECT s.session, first.client, s.first, s.last, s.ts, last.name, s.events, first.segment, first.offset
FROM (SELECT session, min(id) AS first, max(id) AS last, max(ts) AS ts, count(*) AS events FROM event
      WHERE session != '' AND client != 'holdfast' GROUP BY session) AS s
JOIN event AS first ON first.id = s.first
JOIN event AS last ON last.id = s.last
ORDER BY s.first
"""


def put_speech(db: apsw.Connection, change: Change) -> None:
    """Bring in what was said, and take out what is gone or is rewritten."""
    paths = [page.path for page in change.pages]
    forget_speech(db, [*change.deleted_pages, *paths])
    db.executemany("DELETE FROM page WHERE path = ?", ((path,) for path in change.deleted_pages))
    db.executemany("INSERT OR REPLACE INTO page VALUES (?, ?)", ((page.path, page.stamp) for page in change.pages))
    forget_speech(db, {spoken.id for spoken in change.spoken})
    _put_passages(db, [*change.spoken, *(spoken for page in change.pages for spoken in page.spoken)])
    forget_speech(db, change.forgotten)


def forget_speech(db: apsw.Connection, ids: Iterable[str]) -> None:
    """Take out all passages of some events or pages; the words are told what they lose, so that BM25 stays exact."""
    known = [(each,) for each in sorted(set(ids)) if db.execute("SELECT 1 FROM spoken WHERE id = ?", (each,)).get]
    if not known:
        return
    found = [each for one in known for each in db.execute('SELECT row, "group" FROM spoken WHERE id = ?', one)]
    rows, groups = [row for row, _ in found], {group for _, group in found}
    db.executemany(_UNWRITE, known)
    forget_vectors(db, SAID, rows)
    count_out(db, SAID, rows)
    db.executemany("DELETE FROM spoken WHERE id = ?", known)
    count_groups(db, SAID, -sum(db.execute(_GROUP, (group,)).get is None for group in groups))


def _put_passages(db: apsw.Connection, new: Sequence[Spoken]) -> None:
    first = int(db.execute("SELECT coalesce(max(row), 0) + 1 FROM spoken").get)
    before = {group: db.execute(_GROUP, (group,)).get for group in dict.fromkeys(spoken.group for spoken in new)}
    numbers = {group: number for group, number in before.items() if number is not None}
    for row, spoken in enumerate(new, first):
        # A group goes by its first row: no other group can have that number.
        numbers.setdefault(spoken.group, row)
    rows = [_row(row, numbers[spoken.group], spoken) for row, spoken in enumerate(new, first)]
    db.executemany(f"INSERT INTO spoken VALUES ({', '.join('?' * 17)})", rows)  # noqa: S608 -- placeholders only
    words = ((row, " ".join(spoken.terms)) for row, spoken in enumerate(new, first))
    db.executemany("INSERT INTO speech (rowid, terms) VALUES (?, ?)", words)
    count_in(db, SAID, list(_count_passages(new, first, numbers)))
    count_groups(db, SAID, sum(number is None for number in before.values()))


def _count_passages(new: Sequence[Spoken], first: int, numbers: Mapping[str, int]) -> Iterator[SqlitePassageCounts]:
    for row, spoken in enumerate(new, first):
        yield SqlitePassageCounts(row=row, group=numbers[spoken.group], terms=spoken.terms, names=spoken.names)


def find_speech(db: apsw.Connection, query: SpokenQuery) -> list[SpokenHit]:
    """Best first, equal scores the newest first."""
    if not query.terms or not query.kinds:
        return []
    match = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in query.terms)
    kinds = ",".join("?" * len(query.kinds))
    statement = f"""
        SELECT -speech.rank, spoken.row, {", ".join(f"spoken.{each.strip()}" for each in _COLUMNS.split(","))}
        FROM speech JOIN spoken ON spoken.row = speech.rowid
        WHERE speech MATCH ? AND spoken.kind IN ({kinds}) ORDER BY speech.rank, spoken.ts DESC, spoken.row LIMIT ?
    """  # noqa: S608 -- columns are ours, the rest placeholders
    rows = db.execute(statement, (match, *query.kinds, query.limit)).fetchall()
    return [_said_of_row(db, row) for row in rows]


def speech_by_rows(db: apsw.Connection, scored: Sequence[tuple[int, float]]) -> list[SpokenHit]:
    """Passages by their rows, in the order given, each with its score."""
    columns = ", ".join(f"spoken.{each.strip()}" for each in _COLUMNS.split(","))
    found = []
    for row, score in scored:
        held = db.execute(f"SELECT {columns} FROM spoken WHERE row = ?", (row,)).fetchone()  # noqa: S608 -- columns are ours
        if held is not None:
            found.append(_said_of_row(db, (score, row, *held)))
    return found


def sessions(db: apsw.Connection) -> Sequence[SessionRow]:
    """Every session of a client, in the order they began."""
    return [
        SessionRow(
            session=session, client=client, first=first, last=last, ts=ts, last_name=name, events=events,
            place=Cursor(segment=segment, offset=offset),
        )
        for session, client, first, last, ts, name, events, segment, offset in db.execute(_SESSIONS)
    ]  # fmt: skip


def _said_of_row(db: apsw.Connection, found: tuple[object, ...]) -> SpokenHit:
    score, row, *columns = found
    group = db.execute("SELECT number FROM spoken WHERE row = ?", (row,)).get
    near = "SELECT text FROM spoken WHERE number = ? AND row {} ? ORDER BY row {} LIMIT 1"
    before = db.execute(near.format("<", "DESC"), (group, row)).get
    after = db.execute(near.format(">", "ASC"), (group, row)).get
    return SpokenHit(
        spoken=_spoken_of_row(columns), score=float(str(score)), before=str(before or ""), after=str(after or "")
    )


def _spoken_of_row(columns: Sequence[object]) -> Spoken:
    kind, spoken_id, part, group, ts, client, said_by, text = columns
    return Spoken(
        kind=str(kind),
        id=str(spoken_id),
        part=int(str(part)),
        group=str(group),
        ts=str(ts),
        client=str(client),
        said_by=str(said_by),
        text=str(text),
        terms=(),
    )


def _row(row: int, number: int, spoken: Spoken) -> tuple[object, ...]:
    s = spoken
    head = row, s.kind, s.id, s.part, s.group, number, s.ts, s.client, s.said_by
    return (*head, " ".join(s.terms), *read_words(s.text), pack_numbers(s.terms), BETWEEN.join(s.names), s.text)
