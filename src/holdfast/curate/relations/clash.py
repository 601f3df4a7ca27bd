"""Where two memories cannot both be followed: every rule says which, why and how sure."""

import re
from collections.abc import Callable, Iterator, Mapping

from holdfast.curate.relations import tables
from holdfast.curate.relations.amounts import BARE, VERSIONS, Amount, same
from holdfast.curate.relations.reading import BODY_PLACE, Claim, Option, Read
from holdfast.curate.relations.words import alike, failing, groups, held_in, light_forms, shared, total, words
from holdfast.domain.memory import MemoryType
from holdfast.domain.value import Value

Nearness = Callable[[str, str], float | None]

ENOUGH = 0.75
SAME_QUESTION = 0.6
SAME_TITLE = 0.85
NEAR_QUESTION = 0.86
SOME_TOPIC = 0.34
SUBJECT = 0.9
HALF = 0.5
TWO_WORDS = 2.0
SHORT = 6
LONGEST_CLAIM = 12
_ONLY = re.compile(
    r"^only\s+(?:the\s+|an?\s+)?(?P<who>.+?)\s+(?:may|can|should|must|is\s+allowed\s+to|are\s+allowed\s+to|will)\s+(?P<what>.+)$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"^(?P<frame>.*\b(?:in|on|at|by|via|through|called|named|to|as|is|are|from))\s+(?P<value>(?:\S+\s+)?\S+)$",
    re.IGNORECASE,
)
_DOES = (MemoryType.DECISION, MemoryType.PATTERN, MemoryType.INVARIANT, MemoryType.ASSUMPTION)


class Finding(Value):
    """A clash: the rule that found it, why in words, how sure, and the two texts that clash."""

    rule: str
    reason: str
    sure: float
    new_text: str
    old_text: str


def clashes(new: Read, old: Read, near: Nearness) -> Iterator[Finding]:
    """Every clash of two memories."""
    yield from by_failure(new, old)
    if MemoryType.FAILURE in (new.memory.type, old.memory.type):
        return
    yield from by_rejection(new, old)
    yield from by_question(new, old, near)
    yield from by_choice(new, old)
    yield from by_title(new, old)
    for mine in new.claims:
        for theirs in old.claims:
            if _comparable(new, old, mine, theirs):
                for rule in (by_negation, by_value_apart, by_amount, by_only, by_frame):
                    yield from rule(mine, theirs)


def apart(new: Read, old: Read, ignoring: frozenset[str] = frozenset()) -> str:
    """The contexts in which the two lie apart (`development` and `production`); empty where they do not."""
    for kind, mine in new.contexts.items():
        theirs = old.contexts.get(kind, frozenset())
        if theirs and not mine & theirs and not (mine | theirs) & ignoring:
            return f"{_listed(mine)} and {_listed(theirs)}"
    return ""


def by_failure(new: Read, old: Read) -> Iterator[Finding]:
    """A memory that does what another one says failed."""
    for failed, doing in ((old, new), (new, old)):
        if failed.memory.type is not MemoryType.FAILURE or doing.memory.type not in _DOES or not failed.claims:
            continue
        story = failed.claims[0]
        what = _done(story)
        does = next((claim for claim in doing.claims if not claim.negative and claim.place != BODY_PLACE), None)
        reached = held_in(what, doing.head)
        if does is None or story.negative or total(what) < TWO_WORDS or reached < ENOUGH:
            continue
        cause = f": {failed.memory.root_cause}" if failed.memory.root_cause else ""
        reason = f"this failed {failed.memory.attempts or 1}×{cause}"
        texts = (does.text, story.text) if doing is new else (story.text, does.text)
        yield _found("failed before", reason, 0.55 + 0.4 * (reached - HALF), *texts)


def _done(story: Claim) -> dict[str, float]:
    """What was done that failed: what stands before the word of failing, or all but such words."""
    forms = [word.form for word in story.order]
    first = next((place for place, form in enumerate(forms) if form in failing()), len(forms))
    before = {word.form: word.weight for word in story.order[:first] if word.weight}
    return before if total(before) >= TWO_WORDS else _without(story.words, failing())


def by_rejection(new: Read, old: Read) -> Iterator[Finding]:
    """One takes what the other turned down."""
    for taker, other in ((new, old), (old, new)):
        for option in other.drops:
            taken = next((take for take in _taken(taker) if _is(option, take)), None)
            if taken is None or _in_options(option, other.takes) or _in_options(taken, taker.drops):
                continue
            fit = _topics_fit(new, old, frozenset(option.words))
            if fit is None or (option.aside and fit < HALF and not _turned(taker, other)):
                continue
            why = f" ({option.reason})" if option.reason else ""
            says = f"takes {option.text!r}, which the other turned down{why}"
            reason = says if taker is new else f"turns down {option.text!r}, which the other takes{why}"
            text = option.text + (f": {option.reason}" if option.reason else "")
            yield _found("chosen and rejected", reason, 0.6 + 0.35 * fit,
                _line(taker) if taker is new else text, text if other is old else _line(taker),
            )  # fmt: skip


def by_question(new: Read, old: Read, near: Nearness) -> Iterator[Finding]:
    """The same question, answered in another way."""
    if not (new.memory.question and old.memory.question and new.takes and old.takes):
        return
    likeness = alike(new.question, old.question)
    if likeness < SAME_QUESTION:
        cosine = near(new.memory.question, old.memory.question)
        if cosine is None or cosine < NEAR_QUESTION or likeness < SOME_TOPIC:
            return
        likeness = cosine
    if differ(new.takes[0], old.takes[0]):
        reason = f"the same question, other choices: {new.takes[0].text!r} and {old.takes[0].text!r}"
        yield _found("same question", reason, min(0.95, 0.6 + 0.35 * likeness), _line(new), _line(old))


def by_choice(new: Read, old: Read) -> Iterator[Finding]:
    """The same purpose, another choice."""
    if not (new.takes and old.takes) or (new.question and old.question):
        return
    mine, theirs = new.takes[0], old.takes[0]
    if not differ(mine, theirs) or _subject_of(mine, old) or _subject_of(theirs, new):
        return
    if not (mine.short and theirs.short):
        return
    family = _family(new, old, mine, theirs)
    both = mine.names | theirs.names
    if apart(new, old, both & groups(tables.FAMILIES).keys()):
        return
    ours, others = _without(new.topic, both), _without(old.topic, both)
    sure = _purpose(ours, others, family)
    if sure and (_explicit(new, old) or _alternatives(mine, theirs, family)):
        reason = f"other choices for the same purpose: {mine.text!r} and {theirs.text!r}"
        yield _found("other choice", reason, sure, _line(new), _line(old))


def by_title(new: Read, old: Read) -> Iterator[Finding]:
    """Two decisions on one subject that decide different things."""
    if not (new.memory.choice and old.memory.choice) or not (new.claims and old.claims):
        return
    mine, theirs = new.claims[0].words, old.claims[0].words
    if min(total(mine), total(theirs)) < SUBJECT or alike(mine, theirs) < SAME_TITLE:
        return
    ours, others = _content(new.memory.choice), _content(old.memory.choice)
    told = held_in(ours, mine) >= HALF or held_in(others, theirs) >= HALF
    if not told and max(held_in(ours, others), held_in(others, ours)) <= HALF:
        yield _found("same subject", "the same subject, decided in another way", 0.7, _line(new), _line(old))


def differ(one: Option, other: Option) -> bool:
    """Whether two options are different things: neither holds the other, and no name is in both."""
    if one.names & other.names or not total(one.words) or not total(other.words):
        return False
    return max(held_in(one.words, other.words), held_in(other.words, one.words)) <= HALF


def by_negation(mine: Claim, theirs: Claim) -> Iterator[Finding]:
    """One says yes and the other no to the same thing."""
    if mine.negative == theirs.negative or _sides(mine, theirs):
        return
    reached = _reached(mine.words, theirs.words)
    if reached >= ENOUGH:
        reason = "one says no to what the other says"
        yield _pair("negation", reason, _weighed(reached, mine, theirs), mine, theirs)


def by_value_apart(mine: Claim, theirs: Claim) -> Iterator[Finding]:
    """Opposite settings, or two things of one family that exclude each other, of the same subject."""
    if mine.negative != theirs.negative:
        return
    for what, left, right in _sides(mine, theirs):
        both = left | right
        ours, others = _without(mine.words, both), _without(theirs.words, both)
        if min(total(ours), total(others)) < SUBJECT and what != "opposites":
            continue
        reached = _reached(ours, others)
        if reached >= ENOUGH:
            reason = f"{what}: {_listed(left)} and {_listed(right)}"
            yield _pair(
                "opposite" if what == "opposites" else "other choice",
                reason,
                _weighed(reached, mine, theirs),
                mine,
                theirs,
            )


def by_amount(mine: Claim, theirs: Claim) -> Iterator[Finding]:
    """Another number of the same thing."""
    if mine.negative != theirs.negative:
        return
    for one, other in _numbers_apart(mine, theirs):
        named = one.of.removeprefix(VERSIONS).strip() if one.of.startswith(VERSIONS) else ""
        reached = _reached(mine.words, theirs.words)
        least = min(total(mine.words), total(theirs.words))
        if reached >= ENOUGH and least >= SUBJECT:
            kind = "versions" if named else "numbers"
            yield _pair(
                "number",
                f"other {kind}: {one.written} and {other.written}",
                _weighed(reached, mine, theirs),
                mine,
                theirs,
            )


def by_only(mine: Claim, theirs: Claim) -> Iterator[Finding]:
    """One reserves for somebody what the other lets somebody else do."""
    for rule, act in ((mine, theirs), (theirs, mine)):
        found = _ONLY.match(rule.text)
        if found is None or act.negative or _ONLY.match(act.text):
            continue
        who, what = _content(found["who"]), _content(found["what"])
        others = {form for form in who if form not in what}
        if total(what) >= SUBJECT and held_in(what, act.words) >= ENOUGH and others and not others & act.words.keys():
            yield _pair("only", f"only {found['who']} may, and the other has somebody else do it", 0.75, mine, theirs)


def by_frame(mine: Claim, theirs: Claim) -> Iterator[Finding]:
    """The same sentence with another name at its end."""
    one, other = _VALUE.match(mine.text), _VALUE.match(theirs.text)
    if one is None or other is None or mine.negative != theirs.negative:
        return
    frame, second = _content(one["frame"]), _content(other["frame"])
    if (
        total(frame) < 1.3
        or [w.form for w in words(one["frame"])] != [w.form for w in words(other["frame"])]
        or not second
    ):
        return
    if (
        _names(one["value"])
        and _names(other["value"])
        and not _content(one["value"]).keys() & _content(other["value"]).keys() - light_forms()
    ):
        yield _pair("other value", f"the same of {one['value']!r} and {other['value']!r}", 0.75, mine, theirs)


def _content(text: str) -> dict[str, float]:
    return {word.form: word.weight for word in words(text) if word.weight}


def _names(value: str) -> bool:
    """Whether a value is a name: one word, or written as a name."""
    found = words(value)
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


def _numbers_apart(mine: Claim, theirs: Claim) -> Iterator[tuple[Amount, Amount]]:
    for one in mine.amounts:
        others = [other for other in theirs.amounts if other.of == one.of or _bare(one, other)]
        if (
            others
            and not any(same(one, other) for other in others)
            and not any(same(each, others[0]) for each in mine.amounts if each.of == others[0].of)
        ):
            yield one, others[0]


def _bare(one: Amount, other: Amount) -> bool:
    return one.of.startswith(BARE) and other.of.startswith(BARE) and BARE in (one.of, other.of)


def _reached(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much of the shorter is in the longer; nothing is where one has no subject."""
    least = min(total(one), total(other))
    return shared(one, other) / least if least >= SUBJECT else 0.0


def _weighed(reached: float, mine: Claim, theirs: Claim) -> float:
    least = min(total(mine.words), total(theirs.words))
    body = 0.08 * ((mine.place == BODY_PLACE) + (theirs.place == BODY_PLACE))
    return min(0.95, 0.5 + 0.3 * (reached - ENOUGH) / (1 - ENOUGH) + 0.05 * min(3.0, least) - body)


def _comparable(new: Read, old: Read, mine: Claim, theirs: Claim) -> bool:
    """Bodies give reasons; only where both are short do their sentences stand for the memory."""
    if max(len(mine.words), len(theirs.words)) > LONGEST_CLAIM:
        return False
    if mine.place != BODY_PLACE and theirs.place != BODY_PLACE:
        return True
    return len(new.claims) <= SHORT and len(old.claims) <= SHORT


def _topics_fit(new: Read, old: Read, ignoring: frozenset[str]) -> float | None:
    """How well two topics fit, beside what is chosen; None where they are apart."""
    if apart(new, old, ignoring):
        return None
    taken = ignoring.union(*(option.words for option in (*new.takes, *old.takes)))
    mine = _without({**new.topic, **new.question}, taken)
    theirs = _without({**old.topic, **old.question}, taken)
    least = min(total(mine), total(theirs))
    if least < LEAST_TOPIC:
        return 0.3
    fit = shared(mine, theirs) / least
    return fit if fit >= SOME_TOPIC else None


LEAST_TOPIC = 0.5


def _purpose(mine: Mapping[str, float], theirs: Mapping[str, float], family: str) -> float:
    """How sure it is that two purposes are one; 0 where they are not."""
    least, most = sorted((total(mine), total(theirs)))
    if least < LEAST_TOPIC:
        # `use Postgres` says for what only by what Postgres is.
        beside = least > 0 and not mine.keys() & theirs.keys() and most >= SUBJECT
        return 0.55 if family not in ("", OTHER_KINDS) and most <= 2.0 and not beside else 0.0
    reached = shared(mine, theirs) / least
    if reached < ENOUGH or (family == OTHER_KINDS and least < 2.0):
        return 0.0
    return min(0.92, 0.55 + 0.1 * min(least, 2.0) + (0.15 if family not in ("", OTHER_KINDS) else 0.0))


OTHER_KINDS = "other kinds"


def _explicit(new: Read, old: Read) -> bool:
    return bool(new.memory.choice and old.memory.choice)


def _alternatives(mine: Option, theirs: Option, family: str) -> bool:
    """Whether two things that are only used could stand in each other's place: of one family, both names, or
    two kinds of one thing (`absolute imports`, `relative imports`)."""
    if family:
        return family != OTHER_KINDS
    ends = [words(option.text)[-1:] for option in (mine, theirs)]
    kinds = ends[0] and ends[1] and ends[0][0].form == ends[1][0].form
    return bool((mine.names and theirs.names) or kinds)


def _family(new: Read, old: Read, mine: Option, theirs: Option) -> str:
    """The family that both options are of; `other kinds` where both are known and share none."""
    one, other = _kinds(new, mine), _kinds(old, theirs)
    both = one & other
    if both:
        return min(both)
    return OTHER_KINDS if one and other else ""


def _kinds(read: Read, option: Option) -> frozenset[str]:
    return frozenset(
        kind for claim in read.claims for kind, members in claim.families.items() if members & option.words.keys()
    )


def _subject_of(option: Option, other: Read) -> bool:
    """Whether the other memory speaks about this option: it is no alternative to it then."""
    return total(option.words) > 0 and held_in(option.words, other.topic) >= ENOUGH


def _taken(read: Read) -> Iterator[Option]:
    """What a memory takes: its choice, and what its title names where it says no to nothing."""
    yield from read.takes
    title = next(iter(read.claims), None)
    if title is not None and not title.negative:
        yield Option(
            words=title.words, text=title.text, names=frozenset(word.form for word in title.order if word.name)
        )


def _is(option: Option, taken: Option) -> bool:
    """Whether what is taken is the option: all its words are there."""
    return total(option.words) >= SUBJECT and held_in(option.words, taken.words) >= 0.9


def _turned(one: Read, other: Read) -> bool:
    """Whether each sets aside what the other takes."""
    return all(
        any(_is(drop, take) for drop in first.drops for take in second.takes)
        for first, second in ((one, other), (other, one))
    )


def _in_options(option: Option, options: tuple[Option, ...]) -> bool:
    return any(held_in(option.words, each.words) >= 0.9 for each in options)


def _without(held: Mapping[str, float], taken: object) -> dict[str, float]:
    return {form: weight for form, weight in held.items() if form not in taken}  # type: ignore[operator]  # a set


def _line(read: Read) -> str:
    """What a memory says in one line."""
    memory = read.memory
    choice = f" → {memory.choice}" if memory.choice and memory.choice.casefold() not in memory.title.casefold() else ""
    return f"{memory.title or memory.fact}{choice}"


def _found(rule: str, reason: str, sure: float, new_text: str, old_text: str) -> Finding:
    return Finding(rule=rule, reason=reason, sure=round(min(0.97, sure), 3), new_text=new_text, old_text=old_text)


def _pair(rule: str, reason: str, sure: float, mine: Claim, theirs: Claim) -> Finding:
    return Finding(rule=rule, reason=reason, sure=round(sure, 3), new_text=mine.text, old_text=theirs.text)


def _listed(forms: frozenset[str]) -> str:
    return ", ".join(sorted(form.replace("_", " ") for form in forms))
