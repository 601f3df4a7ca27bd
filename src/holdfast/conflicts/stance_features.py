"""What a judgement of two short statements goes by: whether they have one subject, and where they part on it."""

import re
from collections.abc import Iterable, Mapping

from holdfast.conflicts.amounts import BARE, LABEL, Amount, same_amount
from holdfast.conflicts.comparable_words import share_held, shared_weight, total_weight
from holdfast.conflicts.conflict_rules import contexts_apart
from holdfast.conflicts.deeds import Deed, read_deed, ways_apart, whom_apart
from holdfast.conflicts.read_memory import BODY_PLACE, Claim, MemoryReading, weigh_text
from holdfast.conflicts.refusals import Refusal, find_refusals, is_refused
from holdfast.conflicts.replacement_words import AWARE
from holdfast.conflicts.topic import split_topic
from holdfast.core.memory import MemoryType
from holdfast.core.value import Value

Features = dict[str, float]
PARTING = ("refused", "no and yes", "amounts", "poles", "family", "may and must", "ways", "whom")
TIMES_HELD = (
    "refused", "no and yes", "amounts", "poles", "family", "left in both", "may and must", "names apart", "ways",
    "whom",
    "same kind", "other kind",
)  # fmt: skip
TIMES_TOPIC = ("same kind", "other kind", "same slot", "other slot", "ways", "whom", "left in both")
LONGEST = 24
TWO, FOUR = 2, 4
NEARLY_ALL, HALF = 0.9, 0.5
_ALL = re.compile(r"\b(?:all|any|each|every\w*|always|whole|only|exactly|everything|both)\b", re.IGNORECASE)
_MAY = re.compile(
    r"\b(?:may|can|fine|okay|ok|allowed|free\s+to|welcome|optional|acceptable|permitted|enough|needn['’]t)\b"
    r"|\b(?:no|not|n['’]t)\s+(?:need|require)\w*|\bneeds?\s+no\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|never|always|mandatory|require[ds]?|needs?|only|has\s+to|have\s+to|do\s+not|don['’]t|forbidden|no)\b",
    re.IGNORECASE,
)


class Stance(Value):
    """A short memory, read for where it stands: the sentences of its head, and what it turns down."""

    read: MemoryReading
    claims: tuple[Claim, ...]
    refusals: tuple[Refusal, ...]
    text: str
    deed: Deed
    topic: Mapping[str, float]
    value: Mapping[str, float]


def read_stance(read: MemoryReading) -> Stance:
    """Where a memory stands, by its head."""
    claims = tuple(claim for claim in read.claims if claim.place != BODY_PLACE)
    split = split_topic(claims[0].text if claims else "")
    text = ". ".join(claim.text for claim in claims)
    question, choice = read.question, read.takes[0].words if read.takes and read.memory.choice else {}
    return Stance(
        read=read, claims=claims, refusals=find_refusals(read), text=text, deed=read_deed(text),
        topic=question or weigh_text(split.topic), value=choice or weigh_text(split.value),
    )  # fmt: skip


def is_short(stance: Stance) -> bool:
    """Whether it is a statement, and not a story."""
    return bool(stance.claims) and len(stance.text.split()) <= LONGEST


def stance_features(new: Stance, old: Stance) -> Features:
    """The features of a pair of short statements."""
    mine, theirs = new.read.head, old.read.head
    least = min(total_weight(mine), total_weight(theirs))
    both = shared_weight(mine, theirs)
    left = total_weight(mine) - both, total_weight(theirs) - both
    refused = max(_refuses(new, old), _refuses(old, new))
    found: Features = {
        "held": both / least if least else 0.0,
        "jaccard": both / (least + max(left) + 1e-9) if least else 0.0,
        "shared": min(both, 3.0),
        "left in both": min(*left, 2.0),
        "left in one": min(max(left) - min(left), 3.0),
        "refused": refused,
        "both refuse": float(_both_refuse(new, old)),
        "no and yes": float(_negative(new) != _negative(old)),
        "may and must": float(bool(_MAY.search(new.text)) != bool(_MAY.search(old.text)) and bool(_must(new, old))),
        "aware": float(bool(AWARE.search(new.text))),
        "contexts": float(bool(contexts_apart(new.read, old.read))),
        "all": float(bool(_ALL.search(new.text)) or bool(_ALL.search(old.text))),
        "poles": float(_poles_apart(new, old)),
        "family": float(_family_apart(new, old)),
        "failure": float(MemoryType.FAILURE in (new.read.memory.type, old.read.memory.type)),
        "learning": float(MemoryType.LEARNING in (new.read.memory.type, old.read.memory.type)),
        "names apart": float(_names_apart(new, old)),
    }
    found |= _amount_features(new, old) | _topic_features(new, old) | _deed_features(new, old)
    parted = max(found[name] for name in PARTING)
    found["more said"] = float(found["held"] >= NEARLY_ALL and found["left in both"] < HALF and parted < HALF)
    found["nothing parted"] = float(parted < HALF and not found["names apart"])
    found["parted × one topic"] = parted * found["one topic"]
    for name in TIMES_HELD:
        found[f"{name} × held"] = found[name] * found["held"] * min(1.0, both)
    for name in TIMES_TOPIC:
        found[f"{name} × topic"] = found[name] * found["one topic"]
    return found


def _deed_features(new: Stance, old: Stance) -> Features:
    """Whether both say the same is done, and in what they part there."""
    mine, theirs = new.deed, old.deed
    kinds, slots = mine.kinds & theirs.kinds, mine.slots & theirs.slots
    both, left = mine.words & theirs.words, min(len(mine.words - theirs.words), len(theirs.words - mine.words))
    told = min(share_held(new.topic, old.read.head), share_held(old.topic, new.read.head))
    return {
        "same verb": float(bool(mine.verb) and mine.verb == theirs.verb),
        "has": float((mine.verb == "have") != (theirs.verb == "have")),
        "same kind": float(bool(kinds)),
        "other kind": float(bool(mine.kinds and theirs.kinds) and not kinds),
        "same slot": float(bool(slots)), "other slot": float(bool(mine.slots and theirs.slots) and not slots),
        "ways": float(min(ways_apart(mine, theirs), 2)), "whom": float(whom_apart(mine, theirs)),
        "topics told": told if new.topic and old.topic else 0.0,
        "words alike": len(both) / max(1, len(mine.words | theirs.words)),
        "one for one": float(len(both) >= TWO >= left > 0),
        "words left": float(min(left, FOUR)),
    }  # fmt: skip


def _topic_features(new: Stance, old: Stance) -> Features:
    """Whether both speak about one thing and say something else of it, or one speaks about what the other says."""
    topics, values = _overlap(new.topic, old.topic), _overlap(new.value, old.value)
    across = max(_overlap(new.topic, old.value), _overlap(old.topic, new.value))
    known = float(bool(new.topic and old.topic))
    return {
        "one topic": topics, "one value": values, "across": across, "topics": known,
        "same topic": float(topics >= 0.99), "other topic": known * float(topics == 0.0),
        "one topic, other value": topics * (1 - values) * float(bool(new.value and old.value)),
        "same topic, other value": float(topics >= 0.99 and not values and bool(new.value and old.value)),
        "one value, other topic": values * (1 - topics) * known,
    }  # fmt: skip


def _overlap(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much of the longer stands in both, from 0 to 1."""
    most = max(total_weight(one), total_weight(other))
    return shared_weight(one, other) / most if most and one and other else 0.0


def they_part(features: Features) -> bool:
    """Whether a feature shows where two statements part: something refused, a no, another amount, pole or kind."""
    return max(features[name] for name in PARTING) >= HALF


def _must(new: Stance, old: Stance) -> bool:
    return bool(_MUST.search(new.text) or _MUST.search(old.text))


def _negative(each: Stance) -> bool:
    return any(claim.negative for claim in each.claims[:1])


def _refuses(one: Stance, other: Stance) -> float:
    """How much of what one turns down the other takes."""
    found = 0.0
    for refusal in one.refusals:
        if any(_turns_down(refusal, other_refusal) for other_refusal in other.refusals):
            continue
        for claim in other.claims:
            if is_refused(refusal, claim):
                found = max(found, 1.0)
            elif not claim.negative:
                found = max(found, 0.5 * share_held(refusal.words, claim.words))
    return found


def _turns_down(one: Refusal, other: Refusal) -> bool:
    return max(share_held(one.words, other.words), share_held(other.words, one.words)) >= 0.8


def _both_refuse(new: Stance, old: Stance) -> bool:
    return any(_turns_down(one, other) for one in new.refusals for other in old.refusals)


def _poles_apart(new: Stance, old: Stance) -> bool:
    return any(
        axis in theirs.poles and theirs.poles[axis][0] is not side[0]
        for mine in new.claims for theirs in old.claims for axis, side in mine.poles.items()
    )  # fmt: skip


def _family_apart(new: Stance, old: Stance) -> bool:
    mine, theirs = _families(new), _families(old)
    return any(kind in theirs and not members & theirs[kind] for kind, members in mine.items())


def _families(each: Stance) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    aside = {form for refusal in each.refusals for form in refusal.words}
    for claim in each.claims:
        for kind, members in claim.families.items():
            found[kind] = found.get(kind, frozenset()) | (members - aside)
    return {kind: members for kind, members in found.items() if members}


def _names_apart(new: Stance, old: Stance) -> bool:
    mine, theirs = _names(new), _names(old)
    return bool(mine and theirs and not mine & theirs)


def _names(each: Stance) -> set[str]:
    aside = {form for refusal in each.refusals for form in refusal.words}
    return {word.form for claim in each.claims for word in claim.order if word.name and word.weight} - aside


def _amounts(each: Stance) -> list[Amount]:
    return [amount for claim in each.claims for amount in claim.amounts]


def _amount_features(new: Stance, old: Stance) -> Features:
    mine, theirs = _amounts(new), _amounts(old)
    comparable = [(a, b) for a in mine for b in theirs if a.of == b.of or {a.of, b.of} & {BARE}]
    plain = [(a, b) for a, b in comparable if not a.of.startswith(LABEL)]
    labels = [(a, b) for a, b in comparable if a.of.startswith(LABEL)]
    return {
        "amounts": float(bool(plain) and not any(same_amount(a, b) for a, b in plain)),
        "same amounts": float(any(same_amount(a, b) for a, b in plain)),
        "labels": float(bool(labels) and not any(same_amount(a, b) for a, b in labels)),
    }


def join_left(one: Stance, other: Stance) -> str:
    """The words of one that the other has not, as written; to ask whether two could stand in each other's place."""
    return " ".join(_left(one.claims, other.read.head))


def _left(claims: Iterable[Claim], held: Mapping[str, float]) -> list[str]:
    return [word.written for claim in claims for word in claim.order if word.weight and word.form not in held]
