"""The judgement: what a new memory is to another one, by rules, and by nearness where there is an embedder."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import log

from holdfast.curate.relations.amounts import same
from holdfast.curate.relations.changes import AWARE, gone, later_part, says_so
from holdfast.curate.relations.clash import Finding, Nearness, apart, clashes, differ
from holdfast.curate.relations.reading import BODY_PLACE, Read, read, texts
from holdfast.curate.relations.scope import overlap
from holdfast.curate.relations.words import alike, held_in, shared, total
from holdfast.domain.memory import Memory
from holdfast.domain.relation import Kind, Overlap, Reach, Relation

ORDER = {kind: place for place, kind in enumerate(Kind)}
SURE_ENOUGH = 0.5
KEPT_BOTH = "keep_both"
_NUMBERED = re.compile(r"^([a-z]+)[-_ ]?0*(\d+)$", re.IGNORECASE)


def words_alone(_one: str, _other: str) -> float | None:
    """The nearness of whoever has no embedder: nobody knows."""
    return None


def relations(
    new: Memory, others: Iterable[Memory], near: Nearness = words_alone, *, now: datetime | None = None
) -> tuple[Relation, ...]:
    """What a new memory is to each of the others, the most important first; what is unrelated comes last."""
    mine, theirs = read(new), [read(other) for other in others if other.id != new.id or not new.id]
    rare = _rarity([mine, *theirs])
    found = [_relate(mine, each, near, now or datetime.now(UTC), rare) for each in theirs]
    return tuple(sorted(found, key=lambda relation: (ORDER[relation.kind], -relation.sure, -relation.likeness, relation.old)))


def relate(new: Memory, old: Memory, near: Nearness = words_alone, *, now: datetime | None = None) -> Relation:
    """What a new memory is to an old one."""
    return _relate(read(new), read(old), near, now or datetime.now(UTC), {})
