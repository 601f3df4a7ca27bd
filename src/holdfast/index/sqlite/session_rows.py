"""The sessions in the index: where each begins in the journal, and when it was last heard."""

from collections.abc import Sequence

import apsw

from holdfast.core.event import Cursor
from holdfast.core.search import SessionRow

# An id grows with the journal, so the first and the last id of a session are its first and last event there.
_ALL = """
SELECT s.session, first.client, s.first, s.last, s.ts, last.name, s.events, first.segment, first.offset
FROM (SELECT session, min(id) AS first, max(id) AS last, max(ts) AS ts, count(*) AS events FROM event
      WHERE session != '' AND client != 'holdfast' GROUP BY session) AS s
JOIN event AS first ON first.id = s.first
JOIN event AS last ON last.id = s.last
ORDER BY s.first
"""


def list_sessions(db: apsw.Connection) -> Sequence[SessionRow]:
    """Every session of a client, in the order they began."""
    return [
        SessionRow(
            session=session, client=client, first=first, last=last, ts=ts, last_name=name, events=events,
            place=Cursor(segment=segment, offset=offset),
        )
        for session, client, first, last, ts, name, events, segment, offset in db.execute(_ALL)
    ]  # fmt: skip
