"""What stands in the queue, and which of it is meant."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, MemoryType, SaidBy
from holdfast.core.value import Value
from holdfast.records.evidence_context import QuotedEvidence
from holdfast.review.queue import EVERY, CandidateFilter, is_meant
from holdfast.review.queue_groups import QueueGroup, SettledCandidate
from holdfast.review.relations import EntryRelation, is_blocking

NOTHING: Mapping[str, str] = {}
CONFLICT, EXPIRED = "conflict", "expired"


class BadFilter(BadRequest):
    """A filter that cannot be read."""

    def __init__(self, word: str, takes: str) -> None:
        super().__init__(f"The filter does not take {word!r}.", takes)


class QueueItem(Value):
    """One line of the queue: a candidate, or (with `pair`) two memories that hold and contradict each other.

    `settles`: other candidates that go with it, one question for all. `expiry`: in words, that it leaves soon.
    """

    entry: Entry
    pair: EntryRelation | None = None
    settles: tuple[SettledCandidate, ...] = ()
    expiry: str = ""

    @property
    def key(self) -> str:
        """What it is known by while the queue changes."""
        return f"{self.pair.relation.new} {self.pair.relation.old}" if self.pair else self.entry.memory.id


class ItemFindings(Value):
    """What was found out about an item: what it is to other memories, and where it comes from."""

    related: tuple[EntryRelation, ...] = ()
    quoted: tuple[QuotedEvidence, ...] = ()

    @property
    def against(self) -> tuple[EntryRelation, ...]:
        """What keeps it from being accepted."""
        return tuple(each for each in self.related if is_blocking(each))


class QueueFilter(Value):
    """What of the queue is shown."""

    filter: CandidateFilter = EVERY
    conflicts: bool = False
    expired: bool = False
    text: str = ""


ALL = QueueFilter()


def read_filter(text: str) -> QueueFilter:
    """`type:decision from:d489 min:0.8 by:user is:conflict is:expired`, and words that it must hold."""
    types: list[MemoryType] = []
    said_by: list[SaidBy] = []
    words: list[str] = []
    session, least, conflicts, expired = "", 0.0, False, False
    for word in text.split():
        name, colon, value = word.partition(":")
        match name.casefold() if colon else "":
            case "type":
                types.append(_type(value))
            case "by":
                said_by.append(_speaker(value))
            case "from":
                session = value
            case "min":
                least = _number(word, value)
            case "is" if value.casefold() in {CONFLICT, "conflicts"}:
                conflicts = True
            case "is" if value.casefold() == EXPIRED:
                expired = True
            case "is":
                raise BadFilter(word, "is: takes `conflict` or `expired`.")
            case _:
                words.append(word)
    wanted = CandidateFilter(
        types=tuple(types), session=session, min_confidence=least, said_by=tuple(said_by), words=" ".join(words)
    )
    return QueueFilter(filter=wanted, conflicts=conflicts, expired=expired, text=" ".join(text.split()))


def _type(value: str) -> MemoryType:
    word = value.casefold().removesuffix("s")
    found = [kind for kind in MemoryType if word and kind.startswith(word)]
    if len(found) != 1:
        raise BadFilter(f"type:{value}", f"type: takes {', '.join(MemoryType)}.")
    return found[0]


def _speaker(value: str) -> SaidBy:
    try:
        return SaidBy(value.casefold())
    except ValueError:
        raise BadFilter(f"by:{value}", f"by: takes {', '.join(SaidBy)}.") from None


def _number(word: str, value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise BadFilter(word, "min: takes a number from 0 to 1.")
    return found


def order_queue(
    groups: Iterable[QueueGroup],
    pairs: Iterable[EntryRelation],
    put_off: Sequence[str] = (),
    chosen: QueueFilter = ALL,
    expiry: Mapping[str, str] = NOTHING,
) -> list[QueueItem]:
    """Memories that contradict each other, then the questions in their order; what was put off comes last."""
    held = [QueueItem(entry=each.new, pair=each) for each in pairs if _is_shown(each, chosen)]
    asked = [
        QueueItem(entry=group.lead, settles=group.settles, expiry=expiry.get(group.lead.memory.id, ""))
        for group in groups
    ]
    last = {key: place for place, key in enumerate(put_off)}
    return sorted([*held, *asked], key=lambda item: last.get(item.key, -1))


def _is_shown(pair: EntryRelation, chosen: QueueFilter) -> bool:
    return is_meant(pair.new, chosen.filter) or is_meant(pair.old, chosen.filter)
