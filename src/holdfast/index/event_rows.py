"""Journal → event rows: enough of each event to list it, and where to find it again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from holdfast.core.event import RECORD_VERSION, Cursor, JournalRecord
from holdfast.core.journal_store import Readable
from holdfast.core.search import EventRow, Spoken
from holdfast.core.times import canonical_time, parse_moment
from holdfast.core.value import Value
from holdfast.index.spoken_passages import turns_of

LONGEST_TEXT = 500
ECHO = timedelta(seconds=30)
TELLING = (
    "text",
    "prompt",
    "answer",
    "summary",
    "message",
    "command",
    "error",
    "reason",
    "source",
    "trigger",
    "agent_type",
)
# What only says where an event came from tells a reader nothing.
ASIDE = frozenset(
    {"transcript", "turn", "call", "model", "extra", "agent", "redacted", "instructions", "about", "imported"}
)


class JournalStep(Value):
    """One record: the event it adds, the ids it hides, and where the journal goes on."""

    event: EventRow | None = None
    spoken: tuple[Spoken, ...] = ()
    forgotten: tuple[str, ...] = ()
    after: Cursor


class FoldedEvent(Value):
    """An event, and the same one as other clients or sessions reported it."""

    event: EventRow
    also: tuple[EventRow, ...] = ()


def fold_events(rows: Sequence[EventRow]) -> list[FoldedEvent]:
    """Rows, oldest first, in which one prompt that came through several clients or sessions is one.

    Twice the same words in one session are two prompts. Of long prompts only the start is compared: rows keep no more.
    """
    groups: list[list[EventRow]] = []
    spoken: dict[str, list[list[EventRow]]] = {}
    for row in rows:
        earlier = spoken.setdefault(row.text, []) if row.name == "prompt" and row.text else []
        heard = next((group for group in earlier if _is_echo(row, group)), None)
        if heard is not None:
            heard.append(row)
            continue
        groups.append([row])
        earlier.append(groups[-1])
    return [FoldedEvent(event=first, also=tuple(also)) for first, *also in groups]


def read_steps(journal: Readable, cursor: Cursor) -> Iterator[JournalStep]:
    """What the records after a cursor mean for the index."""
    place = cursor
    for record in journal.read(cursor):
        yield _step(record, place)
        place = record.after


def event_text(data: Mapping[str, Any]) -> str:
    """The start of what an event says, on one line."""
    tool = _flatten_value([data.get("tool"), data.get("input")]) if data.get("tool") else ""
    said = (data[key] for key in TELLING if data.get(key))
    rest = {key: value for key, value in data.items() if key not in ASIDE}
    found = tool or next((text for text in map(_flatten_value, said) if text), "") or _flatten_value(rest)
    # JSON can spell half a surrogate pair; no UTF-8 can.
    return found[:LONGEST_TEXT].encode("utf-8", "replace").decode()


def _is_echo(row: EventRow, group: Sequence[EventRow]) -> bool:
    """Whether a prompt is the one of a group again, from somebody who is not in it yet."""
    first, then = parse_moment(group[0].ts), parse_moment(row.ts)
    near = bool(first and then and abs(then - first) <= ECHO)
    return near and all((row.client, row.session) != (each.client, each.session) for each in group)


def _step(record: JournalRecord, place: Cursor) -> JournalStep:
    data = record.data
    if record.version > RECORD_VERSION:
        return JournalStep(after=record.after)
    match record.kind:
        case "event":
            return JournalStep(event=_row(record, place), spoken=turns_of(record), after=record.after)
        case "tombstone":
            return JournalStep(forgotten=_ids(data.get("of")), after=record.after)
        case "compaction":
            return JournalStep(forgotten=_ids(data.get("removed")), after=record.after)
        case _:
            return JournalStep(after=record.after)


def _row(record: JournalRecord, place: Cursor) -> EventRow:
    data = record.data
    client, session, name = (_flatten_value(data.get(key, "")) for key in ("client", "session", "name"))
    said = data.get("data")
    text = event_text(said) if isinstance(said, Mapping) else ""
    ts = canonical_time(record.ts)
    return EventRow(id=record.id, ts=ts, client=client, session=session, name=name, text=text, place=place)


def _ids(found: object) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, Iterable) and not isinstance(found, str) else ()


def _flatten_value(value: object) -> str:
    """Text out of any JSON value, at most a little more than is kept of it; of one however deep."""
    words: list[str] = []
    waiting: list[object] = [value]
    while waiting and len(words) < LONGEST_TEXT:
        match waiting.pop():
            case str() as text:
                words.append(" ".join(text[: LONGEST_TEXT * 4].split()))
            case Mapping() as entries:
                waiting += reversed(list(entries.values())[:8])
            case list() | tuple() as items:
                waiting += reversed(items[:8])
            case None | bool():
                pass
            case number:
                words.append(str(number))
    return " ".join(filter(None, words))
