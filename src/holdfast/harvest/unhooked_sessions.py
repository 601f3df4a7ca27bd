"""Sessions that stand in the journal because a file said so, and that no hook heard: what tells them apart."""

import os
import re
from collections.abc import Collection, Iterable, Mapping

from holdfast.core.event import JournalRecord
from holdfast.core.value import Value, replace
from holdfast.harvest.journal_events import find_session, read_lines, read_session_events
from holdfast.harvest.transcript_pieces import text_in
from holdfast.phrases.foreign_words import why_foreign

OURS = "holdfast"
# Where a line holds this, a transcript said it: no text can, for there the quotes are escaped.
_HARVESTED = b'"harvested":true'
_EVENT = b'"kind":"event"'
_CLIENT = re.compile(rb'"client":"([^"\\]{1,80})"')
_TIME = re.compile(rb'"ts":"([0-9T:.Z-]{20,30})"')
_HEAD = 1024
MOST_WORDS = 80


class UnhookedSession(Value):
    """A session that no hook heard: whose, from which file, from when to when, and how its first prompt begins."""

    session: str
    client: str = ""
    path: str = ""
    since: str = ""
    until: str = ""
    words: str = ""

    @property
    def folder(self) -> str:
        """The history folder in which its file lies."""
        if self.client == "codex" and f"{os.sep}sessions{os.sep}" in self.path:
            return self.path.partition(f"{os.sep}sessions{os.sep}")[0] + f"{os.sep}sessions"
        return os.path.dirname(self.path)


class HookedJournal(Value):
    """What a look at the journal's lines gave: sessions that no hook heard, and when each client's hooks last spoke."""

    unhooked: frozenset[str] = frozenset()
    last: Mapping[str, str] = {}


def is_hooked(records: Iterable[JournalRecord], session: str) -> bool:
    """Whether a hook told any event of a session."""
    return any(
        record.data.get("session") == session
        and record.data.get("client") != OURS
        and (record.data.get("data") or {}).get("harvested") is not True
        for record in records
    )


def look_for_unhooked(folder: str) -> HookedJournal:
    """Which sessions of a journal no hook heard; its lines are looked at, and not parsed."""
    heard: set[bytes] = set()
    harvested: set[bytes] = set()
    last: dict[str, str] = {}
    for raw in read_lines(folder):
        head = raw[:_HEAD]
        client, session = _CLIENT.search(head), find_session(raw)
        if _EVENT not in head or not session or client is None or client[1] == OURS.encode():
            continue
        if _HARVESTED in raw:
            harvested.add(session)
        else:
            heard.add(session)
            at = _TIME.search(head)
            name = client[1].decode("utf-8", "replace")
            last[name] = max(last.get(name, ""), at[1].decode() if at else "")
    return HookedJournal(unhooked=frozenset(name.decode("utf-8", "replace") for name in harvested - heard), last=last)


def describe_unhooked(folder: str, sessions: Collection[str]) -> list[UnhookedSession]:
    """These sessions as a person may know them again, oldest first; a subagent's own belong to another's."""
    found: dict[str, UnhookedSession] = {}
    below: set[str] = set()
    for record in read_session_events(folder, sessions):
        session, data = str(record.data.get("session", "")), record.data.get("data")
        if session not in sessions or not isinstance(data, Mapping):
            continue
        extra = data.get("extra")
        if isinstance(extra, Mapping) and extra.get("parent"):
            below.add(session)
        known = found.get(session) or UnhookedSession(session=session, client=text_in(record.data, "client"))
        found[session] = _add_record(known, record, data)
    rows = [each for name, each in found.items() if name not in below]
    return sorted(rows, key=lambda each: (each.since, each.session))


def _add_record(known: UnhookedSession, record: JournalRecord, data: Mapping[str, object]) -> UnhookedSession:
    words = known.words
    if not words and record.data.get("name") == "prompt":
        said = str(data.get("prompt", ""))
        words = "" if why_foreign(said) else " ".join(said.split())[:MOST_WORDS]
    return replace(
        known,
        path=known.path or (text_in(data, "transcript") if record.data.get("name") == "session_start" else ""),
        since=min(filter(None, (known.since, record.ts)), default=""),
        until=max(known.until, record.ts),
        words=words,
    )
