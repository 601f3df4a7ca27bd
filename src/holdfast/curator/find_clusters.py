"""Consolidations: several learnings about one subject become one, with all that they say and rest on."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

from holdfast.conflicts.comparable_words import Word
from holdfast.conflicts.read_memory import FACT, TITLE, MemoryReading
from holdfast.core.ids import encode
from holdfast.core.memory import PREFIXES, Memory, MemoryType, SaidBy, Status
from holdfast.core.value import Value, replace
from holdfast.curator.curator_finding import CurationFinding, FindingKind, FixPlan, MemoryCreation, MemoryRewrite
from holdfast.curator.curator_input import CuratorInput
from holdfast.curator.find_unsupported import estimate_tokens
from holdfast.curator.plan_changes_of import end_memory, format_time

CONSOLIDATE = "consolidate"
LEAST, MOST = 3, 12
LONGEST_TITLE = 80
LONGEST_FACT = 400
SHARED = 0.6
NAMES = 3
LONG_WORD = 4
# Long enough for a subject, and none.
_SMALL = frozenset(
    ("nach", "beim", "über", "unter", "sind", "wird", "werden", "nicht", "eine", "einen", "einer", "kann", "muss",
     "auch", "para", "sobre", "este", "como", "pour", "dans", "avec", "cette", "sont"),
)  # fmt: skip
ID_LENGTH = 6
TRUST = (SaidBy.TOOL, SaidBy.AGENT, SaidBy.USER)

T = TypeVar("T")
Near = Callable[[MemoryReading, MemoryReading], bool]


class ConsolidatedText(Value):
    """What the one memory will say: a title and the facts."""

    title: str
    facts: tuple[str, ...]


Write = Callable[[Sequence[MemoryReading]], ConsolidatedText]


def find_clusters(
    reads: Sequence[MemoryReading], neighbours: Mapping[str, Sequence[str]], near: Near, most_tokens: int
) -> Iterator[list[MemoryReading]]:
    """Learnings of one subject, in groups: each is near to most of its group, and holds at the same paths.

    What would be too long as one is not put together.
    """
    by_id = {each.memory.id: each for each in reads if each.memory.type is MemoryType.LEARNING}
    links = {name: _links(each, neighbours.get(name, ()), by_id, near) for name, each in by_id.items()}
    taken: set[str] = set()
    for name in sorted(links, key=lambda each: (-len(links[each]), each)):
        group = [name] if name not in taken else []
        for other in links[name] if group else ():
            cost = sum(estimate_tokens(by_id[each].memory) for each in (*group, other))
            fits = len(group) < MOST and cost <= most_tokens
            if other not in taken and fits and _belongs_to_group(other, group, links):
                group.append(other)
        if len(group) >= LEAST:
            taken |= set(group)
            yield sorted((by_id[each] for each in group), key=lambda each: (each.memory.valid_from, each.memory.id))


def _links(each: MemoryReading, others: Sequence[str], by_id: Mapping[str, MemoryReading], near: Near) -> list[str]:
    known = (by_id[other] for other in others if other in by_id)
    return [
        other.memory.id
        for other in known
        if set(other.memory.paths) == set(each.memory.paths) and not other.memory.enforce and near(each, other)
    ]


def _belongs_to_group(name: str, group: Sequence[str], links: Mapping[str, Sequence[str]]) -> bool:
    tied = sum(1 for each in group if name in links[each] or each in links[name])
    return tied * 2 > len(group)


def plan_consolidation(
    group: Sequence[MemoryReading], sure: float, world: CuratorInput, write: Write
) -> CurationFinding:
    """The plan for one group."""
    memories = [each.memory for each in group]
    made = consolidate(memories, write(group), world)
    gone = tuple(
        MemoryRewrite(before=each, after=end_memory(each, Status.SUPERSEDED, f"consolidated into {made.id}", world.now))
        for each in memories
    )
    way = FixPlan(
        name=CONSOLIDATE,
        about="one learning that says it all supersedes them",
        changes=(MemoryCreation(memory=made), *gone),
    )
    return CurationFinding(
        kind=FindingKind.CONSOLIDATIONS, rule="same subject", ids=tuple(each.id for each in memories), sure=sure,
        reason=f"{len(memories)} learnings about one subject", ways=(way,), default=CONSOLIDATE,
    )  # fmt: skip


def consolidate(memories: Sequence[Memory], text: ConsolidatedText, world: CuratorInput) -> Memory:
    """One learning: the facts as a list, each with where it comes from; evidence, tags and citations of all."""
    ids = sorted(each.id for each in memories)
    part = int.from_bytes(blake2b(" ".join(ids).encode(), digest_size=5).digest(), "big") >> (40 - 5 * ID_LENGTH)
    together = "; ".join(fact.rstrip(".") for fact in text.facts)
    confidences = [each.confidence for each in memories if each.confidence is not None]
    return Memory(
        id=f"{PREFIXES[MemoryType.LEARNING]}-{encode(part, ID_LENGTH)}", type=MemoryType.LEARNING,
        title=text.title[:LONGEST_TITLE], fact=together if len(together) <= LONGEST_FACT else "",
        body="\n".join(f"- {fact}" for fact in text.facts),
        category=_most_common(each.category for each in memories),
        tags=_join_unique(each.tags for each in memories), paths=memories[0].paths,
        evidence=_join_unique(each.evidence for each in memories), cites=_join_unique(each.cites for each in memories),
        supersedes=tuple(each.id for each in memories), confidence=min(confidences, default=None),
        said_by=min((each.said_by for each in memories), key=TRUST.index),
        valid_from=format_time(world.now)[:10], updated=format_time(world.now), source="curate",
    )  # fmt: skip


def as_candidate(made: Memory) -> Memory:
    """The same as a candidate."""
    return replace(made, id=f"CAND-{made.id.rpartition('-')[2]}", status=Status.CANDIDATE)


def write_by_rules(group: Sequence[MemoryReading]) -> ConsolidatedText:
    """The text without a model: what they share is the title, each says its fact."""
    facts = list(dict.fromkeys(_fact(each.memory) for each in group))
    return ConsolidatedText(title=_title(group), facts=tuple(facts))


def _fact(memory: Memory) -> str:
    """All that a learning says, on one line: its fact or title, and what its body adds."""
    said = memory.fact or memory.title
    more = [
        part for part in memory.body.splitlines() if part.strip() and _normalize_text(part) not in _normalize_text(said)
    ]
    added = [
        part
        for part in more
        if _normalize_text(memory.title) not in _normalize_text(part)
        or _normalize_text(said) not in _normalize_text(part)
    ]
    told = " ".join(part.strip() for part in added)
    if _normalize_text(said.rstrip("…")) in _normalize_text(told):
        return told
    return f"{said}: {told}" if told else said


def _title(group: Sequence[MemoryReading]) -> str:
    """The words that most of them share, as they are first written, and how many there are."""
    counts = Counter(form for each in group for form in {word.form for word in _head(each)})
    shared: dict[str, str] = {}
    for each in group:
        for word in _head(each):
            if counts[word.form] >= SHARED * len(group) and word.weight and _can_be_subject(word.written):
                shared.setdefault(word.form, word.written)
    tags = Counter(tag for each in group for tag in each.memory.tags)
    common = [tag for tag in tags if tags[tag] == len(group)]
    names = sorted(shared, key=lambda form: -counts[form])[:NAMES]
    subject = ", ".join([shared[form] for form in shared if form in names] or common[:NAMES])
    return f"{subject or group[0].memory.title}: {len(group)} learnings"


def _can_be_subject(written: str) -> bool:
    """Whether a word can be a subject: a short one is so only where it is written like a name."""
    if written.casefold() in _SMALL:
        return False
    return len(written) >= LONG_WORD or written.isupper() or any(letter.isdigit() for letter in written)


def _head(each: MemoryReading) -> list[Word]:
    return [word for claim in each.claims if claim.place in (TITLE, FACT) for word in claim.order]


def _normalize_text(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def _most_common(values: Iterator[str]) -> str:
    counts = Counter(value for value in values if value)
    return min(counts, key=lambda value: (-counts[value], value), default="")


def _join_unique(lists: Iterator[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(each for found in lists for each in found))
