"""How much a memory counts before anybody asked anything: what a session hears first when it begins."""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from holdfast.core.memory import Entry, MemoryType, SaidBy
from holdfast.core.times import parse_moment
from holdfast.core.value import Value

# Rules and choices are broken unknowingly; what was learned is looked for when it is needed.
OF_TYPE = {
    MemoryType.INVARIANT: 3.0,
    MemoryType.DECISION: 2.5,
    MemoryType.FAILURE: 2.0,
    MemoryType.PATTERN: 1.8,
    MemoryType.LEARNING: 1.5,
    MemoryType.ASSUMPTION: 1.0,
}
EVERYWHERE = 1.0
USED = 0.5
EVIDENCE = 0.3
SAID_BY_USER = 0.2
RECENT = 0.7
RECENT_DAYS = 90.0
PINNED = 10.0
# A tag that a person gives to what every session must hear.
PIN = "pinned"


class ImportanceSigns(Value):
    """What is known of memories beside their files: in how many sessions each was used, and which are pinned."""

    used: Mapping[str, int] = {}
    pinned: frozenset[str] = frozenset()


NO_SIGNS = ImportanceSigns()


def rank_importance(entries: Iterable[Entry], now: datetime, signs: ImportanceSigns = NO_SIGNS) -> list[Entry]:
    """The entries, the most important first; equal ones by id."""
    return sorted(entries, key=lambda entry: (-weigh_importance(entry, now, signs), entry.memory.id))


def weigh_importance(entry: Entry, now: datetime, signs: ImportanceSigns = NO_SIGNS) -> float:
    """A sum of what speaks for a memory; `explain_importance` names the parts."""
    return sum(explain_importance(entry, now, signs).values())


def explain_importance(entry: Entry, now: datetime, signs: ImportanceSigns = NO_SIGNS) -> dict[str, float]:
    """The parts of the sum, by what they are for."""
    memory = entry.memory
    changed = parse_moment(memory.updated or memory.valid_from) or datetime.min.replace(tzinfo=UTC)
    days = max(0.0, (now - changed).total_seconds() / 86_400)
    parts = {
        str(memory.type): OF_TYPE[memory.type],
        "everywhere": 0.0 if memory.paths else EVERYWHERE,
        "used": USED * math.log1p(signs.used.get(memory.id, 0)),
        "evidence": (EVIDENCE if memory.evidence else 0.0) + (SAID_BY_USER if memory.said_by is SaidBy.USER else 0.0),
        "recent": RECENT * math.exp(-days / RECENT_DAYS),
        "pinned": PINNED if PIN in memory.tags or memory.id in signs.pinned else 0.0,
    }
    return {name: value for name, value in parts.items() if value}
