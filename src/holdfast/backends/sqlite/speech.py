"""What was said, in the index: put, forgotten, found."""

from collections.abc import Iterable, Sequence

import apsw

from holdfast.backends.sqlite.meaning import forget_rows, put_said_names
from holdfast.backends.sqlite.places import SAID
from holdfast.domain.search import Change, Said, Spoken, SpokenQuery

_COLUMNS = 'kind, id, part, "group", ts, client, said_by, text'
_UNWRITE = "INSERT INTO speech (speech, rowid, terms) SELECT 'delete', row, terms FROM spoken WHERE id = ?"


def put_speech(db: apsw.Connection, change: Change) -> None:
    """Bring in what was said, and take out what is gone or is written anew."""
    paths = [page.path for page in change.pages]
    forget(db, [*change.pages_gone, *paths])
    db.executemany("DELETE FROM page WHERE path = ?", ((path,) for path in change.pages_gone))
    db.executemany("INSERT OR REPLACE INTO page VALUES (?, ?)", ((page.path, page.stamp) for page in change.pages))
    new = [*change.spoken, *(spoken for page in change.pages for spoken in page.spoken)]
    forget(db, {spoken.id for spoken in change.spoken})
    first = db.execute("SELECT coalesce(max(row), 0) + 1 FROM spoken").get
    rows = [(number, *_row(spoken)) for number, spoken in enumerate(new, first)]
    db.executemany("INSERT INTO spoken VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    db.executemany("INSERT INTO speech (rowid, terms) VALUES (?, ?)", ((row[0], row[-1]) for row in rows))
    put_said_names(db, SAID, enumerate(new, first))
    forget(db, change.forgotten)


def forget(db: apsw.Connection, ids: Iterable[str]) -> None:
    """Take out all passages of some events or pages; the words are told what they lose, so that BM25 stays exact."""
    known = [(each,) for each in sorted(set(ids)) if db.execute("SELECT 1 FROM spoken WHERE id = ?", (each,)).get]
    db.executemany(_UNWRITE, known)
    forget_rows(db, SAID, [row for each in known for (row,) in db.execute("SELECT row FROM spoken WHERE id = ?", each)])
    db.executemany("DELETE FROM spoken WHERE id = ?", known)


def find(db: apsw.Connection, query: SpokenQuery) -> list[Said]:
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
    return [_said(db, row) for row in rows]


def by_rows(db: apsw.Connection, scored: Sequence[tuple[int, float]]) -> list[Said]:
    """Passages by their rows, in the order given, each with its score."""
    columns = ", ".join(f"spoken.{each.strip()}" for each in _COLUMNS.split(","))
    found = []
    for row, score in scored:
        held = db.execute(f"SELECT {columns} FROM spoken WHERE row = ?", (row,)).fetchone()  # noqa: S608 -- columns are ours
        if held is not None:
            found.append(_said(db, (score, row, *held)))
    return found


def frequencies(db: apsw.Connection, terms: Sequence[str]) -> tuple[dict[str, int], int]:
    """In how many passages each term stands, and how many passages there are."""
    asked = "SELECT doc FROM speech_vocabulary WHERE term = ?"
    counts = {term: int(db.execute(asked, (term,)).get or 0) for term in terms}
    return counts, int(db.execute("SELECT count(*) FROM spoken").get)


def _said(db: apsw.Connection, found: tuple[object, ...]) -> Said:
    score, row, *columns = found
    group = columns[3]
    near = 'SELECT text FROM spoken WHERE "group" = ? AND row {} ? ORDER BY row {} LIMIT 1'
    before = db.execute(near.format("<", "DESC"), (group, row)).get
    after = db.execute(near.format(">", "ASC"), (group, row)).get
    return Said(spoken=_spoken(columns), score=float(str(score)), before=str(before or ""), after=str(after or ""))


def _spoken(columns: Sequence[object]) -> Spoken:
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


def _row(spoken: Spoken) -> tuple[object, ...]:
    s = spoken
    return (s.kind, s.id, s.part, s.group, s.ts, s.client, s.said_by, s.text, " ".join(s.terms))
