"""What a statement says is done: of what kind, in which way, by whom, and in which slots it says more."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from holdfast.conflicts import deed_groups
from holdfast.conflicts.comparable_words import stem_text, stem_word
from holdfast.core.value import Value

ALL, FEW = "all", "few"
# The slots of a sentence, by the word that opens each. Two that fill one slot with other words part there.
_SLOTS = {
    "tool": r"\b(?:with|using|via|through|by\s+means\s+of)\s+\S",
    "place": r"\b(?:in|into|on|onto|at|under|inside|next\s+to|to|from|behind|outside(?:\s+of)?)\s+(?!\d)\S",
    "shape": r"\bas\s+(?:an?\s+)?\S",
    "actor": r"\bby\s+(?!hand\b)\S",
    "when": r"\b(?:at|on|before|after|when|while|every|each|during|until|once|nightly|daily|weekly|monthly)\s+\S",
    "span": r"\b(?:for|within|after|up\s+to|at\s+(?:least|most)|over|under|than)\s+(?:an?\s+)?(?:\d|\w+\s+)?"
    r"(?:ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|ever)\b|\bforever\b|\bindefinitely\b",
    "size": r"\b\d[\d,.]*\s*(?:%|[a-z]+)",
}

_LEAD = re.compile(
    r"^(?:(?:we|i|you|they|please|let['’]?s|always|never|only|all|now|do\s+not|don['’]t|from\s+now\s+on|it['’]s)[\s,]+)+",
    re.IGNORECASE,
)
_BETWEEN = r"(?:(?:not|never|only|always|now|also|still|all|just|be|been|being|ever|no\s+longer)\s+)*"
_PASSIVE = re.compile(
    rf"\b(?:is|are|was|were|be|been|gets?|isn['’]t|aren['’]t)\s+{_BETWEEN}(?P<verb>[a-z]+)\b", re.IGNORECASE
)
_HELPED = re.compile(
    rf"\b(?:may|can|cannot|must|should|will|shall|need\s+to|has\s+to|have\s+to|do(?:es)?|don['’]t|doesn['’]t|can['’]t|never"
    rf"|not|only|always)\s+{_BETWEEN}(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(r"^(?P<verb>[a-z]+)\b(?!\s+(?:is|are|may|can|must|has|have|gets?)\b)", re.IGNORECASE)
_ACTIVE = re.compile(r"(?<=\s)(?P<verb>[a-z]+)\b", re.IGNORECASE)
_PLAIN = re.compile(r"\b(?:is|are|has|have|had|isn['’]t|aren['’]t)\b", re.IGNORECASE)
_PAST = re.compile(r"(?:ed|en|wn|ung|ght)$", re.IGNORECASE)


class Deed(Value):
    """The verb of a statement and its kinds, the ways it names, whom it is for, its slots, and its telling words."""

    verb: str
    kinds: frozenset[str]
    ways: Mapping[str, frozenset[bool]]
    who: frozenset[str]
    slots: frozenset[str]
    words: frozenset[str]


def read_deed(text: str) -> Deed:
    """What a statement says is done."""
    stems, verb = frozenset(stem_text(text)), find_verb(text)
    return Deed(
        verb=verb, kinds=_kinds().get(verb, frozenset({verb} if verb else ())), ways=_ways_of(stems), who=_who(stems),
        slots=frozenset(name for name, pattern in _slots().items() if pattern.search(text)), words=stems - _joints(),
    )  # fmt: skip


def find_verb(text: str) -> str:
    """The stem of what a statement says is done: `are drawn with d3`, `we draw`, `draw the charts`; or `be`, `have`."""
    plain = _LEAD.sub("", text)
    for pattern in (_PASSIVE, _HELPED, _IMPERATIVE, _ACTIVE):
        for found in pattern.finditer(plain):
            stem = stem_word(found["verb"])
            if stem in _kinds() or (pattern is _PASSIVE and _PAST.search(found["verb"])):
                return stem
    said = _PLAIN.search(plain)
    return "" if said is None else "have" if said[0][:2].lower() == "ha" else "be"


def ways_apart(one: Deed, other: Deed) -> int:
    """On how many axes two statements stand at opposite ends."""
    return sum(axis in other.ways and not sides & other.ways[axis] for axis, sides in one.ways.items())


def whom_apart(one: Deed, other: Deed) -> bool:
    """Whether one is for all and the other for few."""
    return bool(one.who and other.who and not one.who & other.who)


def _who(stems: Iterable[str]) -> frozenset[str]:
    found = {name for name, members in _circles().items() if members & set(stems)}
    # `only admins, not everybody`: few.
    return frozenset({FEW} if FEW in found else found)


def _ways_of(stems: Iterable[str]) -> Mapping[str, frozenset[bool]]:
    found: dict[str, set[bool]] = {}
    for stem in stems:
        for axis, side in _ways().get(stem, ()):
            found.setdefault(axis, set()).add(side)
    return {axis: frozenset(sides) for axis, sides in found.items() if len(sides) == 1}


@cache
def _kinds() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in deed_groups.VERBS.splitlines():
        kind, _, verbs = line.partition(": ")
        for verb in verbs.split():
            found.setdefault(stem_word(verb), set()).add(kind)
    return {stem: frozenset(kinds) for stem, kinds in found.items()}


@cache
def _ways() -> Mapping[str, tuple[tuple[str, bool], ...]]:
    found: dict[str, set[tuple[str, bool]]] = {}
    for line in deed_groups.WAYS.splitlines():
        these, _, those = line.partition(" / ")
        for side, members in ((True, these), (False, those)):
            for member in members.split():
                found.setdefault(stem_word(member), set()).add((line, side))
    return {stem: tuple(places) for stem, places in found.items()}


@cache
def _circles() -> Mapping[str, frozenset[str]]:
    both = {ALL: deed_groups.EVERYBODY, FEW: deed_groups.FEW}
    return {name: frozenset(map(stem_word, words.split())) for name, words in both.items()}


@cache
def _joints() -> frozenset[str]:
    return frozenset(map(stem_word, deed_groups.JOINTS.split()))


@cache
def _slots() -> Mapping[str, re.Pattern[str]]:
    # Compiled when first asked for: a command that compares nothing pays nothing.
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _SLOTS.items()}
