"""Where two sentences cannot both be followed."""

import re
from collections.abc import Collection, Iterator, Mapping

from holdfast.conflicts.amounts import BARE, VERSIONS, Amount, same_amount
from holdfast.conflicts.comparable_words import (
    light_forms,
    share_held,
    shared_weight,
    split_words,
    total_weight,
    weigh_forms,
)
from holdfast.conflicts.read_memory import BODY_PLACE, CHOICE, Claim, MemoryReading
from holdfast.core.value import Value

ENOUGH = 0.75
SUBJECT = 0.9
TWO_WORDS = 2.0
SHORT = 6
LONGEST_CLAIM = 12
LEAST_CHOICE = 3
_ONLY = re.compile(
    r"^only\s+(?:the\s+|an?\s+)?(?P<who>.+?)\s+(?:may|can|should|must|is\s+allowed\s+to|are\s+allowed\s+to|will)\s+(?P<what>.+)$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"^(?P<frame>.*\b(?:in|on|at|by|via|through|called|named|to|as|is|are|from))\s+(?P<value>(?:\S+\s+)?\S+)$",
    re.IGNORECASE,
)
_ALL = re.compile(r"\b(?:all|any|each|every|always|everywhere)\b", re.IGNORECASE)


class ConflictFinding(Value):
    """A conflict: the rule that found it, why in words, how sure, and the two texts in conflict."""

    rule: str
    reason: str
    sure: float
    new_text: str
    old_text: str


def conflicts_by_sentence(new: MemoryReading, old: MemoryReading) -> Iterator[ConflictFinding]:
    """Every conflict of a sentence of one memory with a sentence of the other."""
    for mine in new.claims:
        for theirs in old.claims:
            if _is_comparable(new, old, mine, theirs):
                for rule in (
                    conflicts_by_negation,
                    conflicts_by_value,
                    conflicts_by_amount,
                    conflicts_by_only,
                    conflicts_by_frame,
                ):
                    yield from rule(mine, theirs)


def conflicts_by_negation(mine: Claim, theirs: Claim) -> Iterator[ConflictFinding]:
    """One says yes and the other no to the same thing."""
    if mine.negative == theirs.negative or _sides(mine, theirs):
        return
    reached = _share_reached(mine.words, theirs.words)
    if reached >= ENOUGH and not _is_exception(mine, theirs):
        reason = "one says no to what the other says"
        yield _build_finding("negation", reason, _weigh_match(reached, mine, theirs), mine, theirs)


def _is_exception(mine: Claim, theirs: Claim) -> bool:
    """Whether the no is only for a part of what the other says yes to, which says nothing of all cases."""
    no, yes = (mine, theirs) if mine.negative else (theirs, mine)
    if total_weight(no.words) - shared_weight(no.words, yes.words) < SUBJECT:
        return False
    return not _ALL.search(yes.text)


def conflicts_by_value(mine: Claim, theirs: Claim) -> Iterator[ConflictFinding]:
    """Opposite settings, or two things of one family that exclude each other, of the same subject."""
    if mine.negative != theirs.negative:
        return
    for what, left, right in _sides(mine, theirs):
        both = left | right
        ours, others = drop_words(mine.words, both), drop_words(theirs.words, both)
        if min(total_weight(ours), total_weight(others)) < SUBJECT and what != "opposites":
            continue
        reached = _share_reached(ours, others)
        if reached >= ENOUGH:
            reason = f"{what}: {join_forms(left)} and {join_forms(right)}"
            yield _build_finding(
                "opposite" if what == "opposites" else "other choice",
                reason,
                _weigh_match(reached, mine, theirs),
                mine,
                theirs,
            )


def conflicts_by_amount(mine: Claim, theirs: Claim) -> Iterator[ConflictFinding]:
    """Another number of the same thing."""
    if mine.negative != theirs.negative:
        return
    for one, other in _differing_numbers(mine, theirs):
        named = one.of.removeprefix(VERSIONS).strip() if one.of.startswith(VERSIONS) else ""
        reached = _share_reached(mine.words, theirs.words)
        least, most = sorted((total_weight(mine.words), total_weight(theirs.words)))
        one_word = least < TWO_WORDS and most - least >= SUBJECT
        if reached >= ENOUGH and least >= SUBJECT and not one_word:
            kind = "versions" if named else "numbers"
            yield _build_finding(
                "number",
                f"other {kind}: {one.written} and {other.written}",
                _weigh_match(reached, mine, theirs),
                mine,
                theirs,
            )


def conflicts_by_only(mine: Claim, theirs: Claim) -> Iterator[ConflictFinding]:
    """One reserves for somebody what the other lets somebody else do."""
    for rule, act in ((mine, theirs), (theirs, mine)):
        found = _ONLY.match(rule.text)
        if found is None or act.negative or _ONLY.match(act.text):
            continue
        who, what = weigh_words(found["who"]), weigh_words(found["what"])
        others = {form for form in who if form not in what}
        if (
            total_weight(what) >= SUBJECT
            and share_held(what, act.words) >= ENOUGH
            and others
            and not others & act.words.keys()
        ):
            yield _build_finding(
                "only", f"only {found['who']} may, and the other has somebody else do it", 0.75, mine, theirs
            )


def conflicts_by_frame(mine: Claim, theirs: Claim) -> Iterator[ConflictFinding]:
    """The same sentence with another name at its end."""
    one, other = _VALUE.match(mine.text), _VALUE.match(theirs.text)
    if one is None or other is None or mine.negative != theirs.negative:
        return
    frame, second = weigh_words(one["frame"]), weigh_words(other["frame"])
    if (
        total_weight(frame) < 1.3
        or [w.form for w in split_words(one["frame"])] != [w.form for w in split_words(other["frame"])]
        or not second
    ):
        return
    if (
        _is_name_value(one["value"])
        and _is_name_value(other["value"])
        and not weigh_words(one["value"]).keys() & weigh_words(other["value"]).keys() - light_forms()
    ):
        yield _build_finding("other value", f"the same of {one['value']!r} and {other['value']!r}", 0.75, mine, theirs)


def _is_comparable(new: MemoryReading, old: MemoryReading, mine: Claim, theirs: Claim) -> bool:
    """Bodies give reasons; only where both are short do their sentences stand for the memory."""
    if max(len(mine.words), len(theirs.words)) > LONGEST_CLAIM:
        return False
    if any(claim.place == CHOICE and len(claim.words) < LEAST_CHOICE for claim in (mine, theirs)):
        # A word or two say for what only beside their title.
        return False
    if mine.place != BODY_PLACE and theirs.place != BODY_PLACE:
        return True
    return len(new.claims) <= SHORT and len(old.claims) <= SHORT


def _is_name_value(value: str) -> bool:
    """Whether a value is a name: one word, or written as a name."""
    found = split_words(value)
    return (
        bool(found)
        and (len(value.split()) == 1 or any(word.name for word in found))
        and not found[0].form.endswith("ed")
    )


def _sides(mine: Claim, theirs: Claim) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    """What of two sentences excludes each other: poles of one axis, members of one family."""
    found = []
    for axis, side in mine.poles.items():
        if axis in theirs.poles and theirs.poles[axis][0] is not side[0]:
            found.append(("opposites", side[1], theirs.poles[axis][1]))
    for family, members in mine.families.items():
        others = theirs.families.get(family, frozenset())
        if others and not members & others:
            found.append((f"two of one kind ({family.replace('_', ' ')})", members, others))
    return found


def _differing_numbers(mine: Claim, theirs: Claim) -> Iterator[tuple[Amount, Amount]]:
    for one in mine.amounts:
        others = [other for other in theirs.amounts if other.of == one.of or _is_bare_pair(one, other)]
        if (
            others
            and not any(same_amount(one, other) for other in others)
            and not any(same_amount(each, others[0]) for each in mine.amounts if each.of == others[0].of)
        ):
            yield one, others[0]


def _is_bare_pair(one: Amount, other: Amount) -> bool:
    return one.of.startswith(BARE) and other.of.startswith(BARE) and BARE in (one.of, other.of)


def _share_reached(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much of the shorter is in the longer; nothing is where one has no subject."""
    least = min(total_weight(one), total_weight(other))
    return shared_weight(one, other) / least if least >= SUBJECT else 0.0


def _weigh_match(reached: float, mine: Claim, theirs: Claim) -> float:
    least = min(total_weight(mine.words), total_weight(theirs.words))
    body = 0.08 * ((mine.place == BODY_PLACE) + (theirs.place == BODY_PLACE))
    return min(0.95, 0.5 + 0.3 * (reached - ENOUGH) / (1 - ENOUGH) + 0.05 * min(3.0, least) - body)


def _build_finding(rule: str, reason: str, sure: float, mine: Claim, theirs: Claim) -> ConflictFinding:
    return ConflictFinding(rule=rule, reason=reason, sure=round(sure, 3), new_text=mine.text, old_text=theirs.text)


def weigh_words(text: str) -> dict[str, float]:
    """What the words of a text weigh."""
    return weigh_forms(split_words(text))


def drop_words(held: Mapping[str, float], taken: Collection[str]) -> dict[str, float]:
    """Words without some of them."""
    return {form: weight for form, weight in held.items() if form not in taken}


def join_forms(forms: Collection[str]) -> str:
    """Forms as a person reads them."""
    return ", ".join(sorted(form.replace("_", " ") for form in forms))
