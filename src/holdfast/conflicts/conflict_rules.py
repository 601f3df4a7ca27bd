"""Where two memories cannot both be followed: every rule says which, why and how sure."""

from collections.abc import Callable, Iterator, Mapping

from holdfast.conflicts import word_groups
from holdfast.conflicts.amounts import LABEL
from holdfast.conflicts.comparable_words import (
    NAME,
    failure_forms,
    share_held,
    shared_weight,
    split_words,
    table_groups,
    total_weight,
    weight_likeness,
)
from holdfast.conflicts.read_memory import BODY_PLACE, Claim, ClaimedOption, MemoryReading
from holdfast.conflicts.sentence_conflicts import (
    ENOUGH,
    SUBJECT,
    TWO_WORDS,
    ConflictFinding,
    conflicts_by_sentence,
    drop_words,
    join_forms,
    weigh_words,
)
from holdfast.core.memory import MemoryType

Nearness = Callable[[str, str], float | None]

SAME_QUESTION = 0.6
SAME_TITLE = 0.85
SAME_PURPOSE = 0.7
NEAR_QUESTION = 0.86
SOME_TOPIC = 0.34
HALF = 0.5
THREE_WORDS = 2.9
LEAST_TOPIC = 0.5
OTHER_KINDS = "other kinds"
_DOES = (MemoryType.DECISION, MemoryType.PATTERN, MemoryType.INVARIANT, MemoryType.ASSUMPTION)


def find_conflicts(new: MemoryReading, old: MemoryReading, near: Nearness) -> Iterator[ConflictFinding]:
    """Every conflict of two memories."""
    yield from conflicts_by_failure(new, old)
    if MemoryType.FAILURE in (new.memory.type, old.memory.type):
        return
    yield from conflicts_by_rejection(new, old)
    if has_different_labels(new, old):
        return
    yield from conflicts_by_question(new, old, near)
    yield from conflicts_by_choice(new, old)
    yield from conflicts_by_title(new, old)
    yield from conflicts_by_sentence(new, old)


def has_different_labels(new: MemoryReading, old: MemoryReading) -> bool:
    """Whether the heads speak of two of a kind: `step 2` of one and `step 3` of the other."""
    mine, theirs = _labels(new), _labels(old)
    return bool({of for of, _ in mine} & {of for of, _ in theirs}) and not mine & theirs


def _labels(each: MemoryReading) -> set[tuple[str, tuple[float, ...]]]:
    return {(a.of, a.value) for claim in each.claims[:1] for a in claim.amounts if a.of.startswith(LABEL)}


def contexts_apart(new: MemoryReading, old: MemoryReading, ignoring: frozenset[str] = frozenset()) -> str:
    """The contexts in which the two lie apart (`development` and `production`); empty where they do not."""
    for kind, mine in new.contexts.items():
        theirs = old.contexts.get(kind, frozenset())
        if theirs and not mine & theirs and not (mine | theirs) & ignoring:
            return f"{join_forms(mine)} and {join_forms(theirs)}"
    return ""


def conflicts_by_failure(new: MemoryReading, old: MemoryReading) -> Iterator[ConflictFinding]:
    """A memory that does what another one says failed."""
    for failed, doing in ((old, new), (new, old)):
        if failed.memory.type is not MemoryType.FAILURE or doing.memory.type not in _DOES or not failed.claims:
            continue
        story = failed.claims[0]
        what = _failed_action(story)
        does = next((claim for claim in doing.claims if not claim.negative and claim.place != BODY_PLACE), None)
        reached = share_held(what, doing.head)
        if does is None or story.negative or total_weight(what) < TWO_WORDS or reached < ENOUGH:
            continue
        cause = f": {failed.memory.root_cause}" if failed.memory.root_cause else ""
        reason = f"this failed {failed.memory.attempts or 1}×{cause}"
        texts = (does.text, story.text) if doing is new else (story.text, does.text)
        yield _build_finding("failed before", reason, 0.55 + 0.4 * (reached - HALF), *texts)


def _failed_action(story: Claim) -> dict[str, float]:
    """What was done that failed: what stands before the word of failing, or all but such words."""
    forms = [word.form for word in story.order]
    first = next((place for place, form in enumerate(forms) if form in failure_forms()), len(forms))
    before = {word.form: word.weight for word in story.order[:first] if word.weight}
    return before if total_weight(before) >= THREE_WORDS else drop_words(story.words, failure_forms())


def conflicts_by_rejection(new: MemoryReading, old: MemoryReading) -> Iterator[ConflictFinding]:
    """One takes what the other turned down."""
    for taker, other in ((new, old), (old, new)):
        for option in other.drops:
            taken = next((take for take in _taken_options(taker) if _is_option(option, take)), None)
            if taken is None or _in_options(option, other.takes) or _in_options(taken, taker.drops):
                continue
            fit = _topics_fit(new, old, frozenset(option.words))
            if fit is None and _same_phrase(option, taken) and not contexts_apart(new, old):
                fit = 0.0
            if fit is None or (option.aside and fit < HALF and not _reject_each_other(taker, other)):
                continue
            why = f" ({option.reason})" if option.reason else ""
            says = f"takes {option.text!r}, which the other turned down{why}"
            reason = says if taker is new else f"turns down {option.text!r}, which the other takes{why}"
            text = option.text + (f": {option.reason}" if option.reason else "")
            yield _build_finding("chosen and rejected", reason, 0.6 + 0.35 * fit,
                _line(taker) if taker is new else text, text if other is old else _line(taker),
            )  # fmt: skip


def conflicts_by_question(new: MemoryReading, old: MemoryReading, near: Nearness) -> Iterator[ConflictFinding]:
    """The same question, answered in another way."""
    if not (new.memory.question and old.memory.question and new.takes and old.takes):
        return
    likeness = weight_likeness(new.question, old.question)
    if likeness < SAME_QUESTION:
        cosine = near(new.memory.question, old.memory.question)
        if cosine is None or cosine < NEAR_QUESTION or likeness < SOME_TOPIC:
            return
        likeness = cosine
    if options_differ(new.takes[0], old.takes[0]):
        reason = f"the same question, other choices: {new.takes[0].text!r} and {old.takes[0].text!r}"
        yield _build_finding("same question", reason, min(0.95, 0.6 + 0.35 * likeness), _line(new), _line(old))


def conflicts_by_choice(new: MemoryReading, old: MemoryReading) -> Iterator[ConflictFinding]:
    """The same purpose, another choice."""
    if not (new.takes and old.takes) or (new.question and old.question):
        return
    mine, theirs = new.takes[0], old.takes[0]
    if not options_differ(mine, theirs) or _is_subject_of(mine, old) or _is_subject_of(theirs, new):
        return
    if not (mine.short and theirs.short):
        return
    family = _family(new, old, mine, theirs)
    both = mine.names | theirs.names
    if contexts_apart(new, old, both & table_groups(word_groups.FAMILIES).keys()):
        return
    ours, others = drop_words(new.topic, both), drop_words(old.topic, both)
    sure = _purpose(ours, others, family)
    if sure and (_both_choose(new, old) or _are_alternatives(mine, theirs, family)):
        reason = f"other choices for the same purpose: {mine.text!r} and {theirs.text!r}"
        yield _build_finding("other choice", reason, sure, _line(new), _line(old))


def conflicts_by_title(new: MemoryReading, old: MemoryReading) -> Iterator[ConflictFinding]:
    """Two decisions on one subject that decide different things."""
    if not (new.memory.choice and old.memory.choice) or not (new.claims and old.claims):
        return
    mine, theirs = new.claims[0].words, old.claims[0].words
    if min(total_weight(mine), total_weight(theirs)) < SUBJECT or weight_likeness(mine, theirs) < SAME_TITLE:
        return
    ours, others = weigh_words(new.memory.choice), weigh_words(old.memory.choice)
    told = share_held(ours, mine) >= HALF or share_held(others, theirs) >= HALF
    if not told and max(share_held(ours, others), share_held(others, ours)) <= HALF:
        yield _build_finding("same subject", "the same subject, decided in another way", 0.7, _line(new), _line(old))


def options_differ(one: ClaimedOption, other: ClaimedOption) -> bool:
    """Whether two options are different things: neither holds the other, and no name is in both."""
    if one.names & other.names or not total_weight(one.words) or not total_weight(other.words):
        return False
    return max(share_held(one.words, other.words), share_held(other.words, one.words)) <= HALF


def _topics_fit(new: MemoryReading, old: MemoryReading, ignoring: frozenset[str]) -> float | None:
    """How well two topics fit, beside what is chosen; None where they are apart."""
    if contexts_apart(new, old, ignoring):
        return None
    taken = ignoring.union(*(option.words for option in (*new.takes, *old.takes)))
    mine = drop_words({**new.topic, **new.question}, taken)
    theirs = drop_words({**old.topic, **old.question}, taken)
    least = min(total_weight(mine), total_weight(theirs))
    if least < LEAST_TOPIC:
        return None if _purposes_apart(mine, theirs) else 0.3
    fit = shared_weight(mine, theirs) / least
    return fit if fit >= SOME_TOPIC else None


def _purpose(mine: Mapping[str, float], theirs: Mapping[str, float], family: str) -> float:
    """How sure it is that two purposes are one; 0 where they are not."""
    least, most = sorted((total_weight(mine), total_weight(theirs)))
    if least < LEAST_TOPIC:
        # `use Postgres` says for what only by what Postgres is.
        known = family not in ("", OTHER_KINDS) and most <= NAME
        return 0.55 if known and not _purposes_apart(mine, theirs) else 0.0
    reached = shared_weight(mine, theirs) / least
    if reached < ENOUGH or family == OTHER_KINDS:
        return 0.0
    if not family and weight_likeness(mine, theirs) < SAME_PURPOSE:
        # Things that nobody knows to be of one kind are alternatives only where all else is the same.
        return 0.0
    return min(0.92, 0.55 + 0.1 * min(least, 2.0) + (0.15 if family else 0.0))


def _purposes_apart(mine: Mapping[str, float], theirs: Mapping[str, float]) -> bool:
    """Whether two purposes, one of which says little, share nothing at all; or one names a context of its own."""
    contexts = table_groups(word_groups.CONTEXTS).keys()
    if not mine or not theirs:
        return bool((mine.keys() | theirs.keys()) & contexts)
    return not mine.keys() & theirs.keys() and max(total_weight(mine), total_weight(theirs)) >= SUBJECT


def _both_choose(new: MemoryReading, old: MemoryReading) -> bool:
    return bool(new.memory.choice and old.memory.choice)


def _are_alternatives(mine: ClaimedOption, theirs: ClaimedOption, family: str) -> bool:
    """Whether two things that are only used could stand in each other's place: of one family, both names, or
    two kinds of one thing (`absolute imports`, `relative imports`)."""
    if family:
        return family != OTHER_KINDS
    ends = [split_words(option.text)[-1:] for option in (mine, theirs)]
    kinds = ends[0] and ends[1] and ends[0][0].form == ends[1][0].form
    return bool((mine.names and theirs.names) or kinds)


def _family(new: MemoryReading, old: MemoryReading, mine: ClaimedOption, theirs: ClaimedOption) -> str:
    """The family that both options are of; `other kinds` where both are known and share none."""
    one, other = _kinds(new, mine), _kinds(old, theirs)
    both = one & other
    if both:
        return min(both)
    return OTHER_KINDS if one and other else ""


def _kinds(read: MemoryReading, option: ClaimedOption) -> frozenset[str]:
    return frozenset(
        kind for claim in read.claims for kind, members in claim.families.items() if members & option.words.keys()
    )


def _is_subject_of(option: ClaimedOption, other: MemoryReading) -> bool:
    """Whether the other memory speaks about this option: it is no alternative to it then."""
    return total_weight(option.words) > 0 and share_held(option.words, other.topic) >= ENOUGH


def _taken_options(read: MemoryReading) -> Iterator[ClaimedOption]:
    """What a memory takes: its choice, and what its title names where it says no to nothing."""
    yield from read.takes
    title = next(iter(read.claims), None)
    if title is not None and not title.negative:
        yield ClaimedOption(
            words=title.words, text=title.text, names=frozenset(word.form for word in title.order if word.name)
        )


def _is_option(option: ClaimedOption, taken: ClaimedOption) -> bool:
    """Whether what is taken is the option: all its words are there."""
    return total_weight(option.words) >= SUBJECT and share_held(option.words, taken.words) >= 0.9


def _same_phrase(one: ClaimedOption, other: ClaimedOption) -> bool:
    """Whether two options are the same phrase: one that would hardly be met by chance."""
    both = min(share_held(one.words, other.words), share_held(other.words, one.words))
    return both >= 0.9 and min(total_weight(one.words), total_weight(other.words)) >= 1.9 and not one.aside


def _reject_each_other(one: MemoryReading, other: MemoryReading) -> bool:
    """Whether each sets aside what the other takes."""
    return all(
        any(_is_option(drop, take) for drop in first.drops for take in second.takes)
        for first, second in ((one, other), (other, one))
    )


def _in_options(option: ClaimedOption, options: tuple[ClaimedOption, ...]) -> bool:
    return any(share_held(option.words, each.words) >= 0.9 for each in options)


def _line(read: MemoryReading) -> str:
    """What a memory says in one line."""
    memory = read.memory
    choice = f" → {memory.choice}" if memory.choice and memory.choice.casefold() not in memory.title.casefold() else ""
    return f"{memory.title or memory.fact}{choice}"


def _build_finding(rule: str, reason: str, sure: float, new_text: str, old_text: str) -> ConflictFinding:
    return ConflictFinding(
        rule=rule, reason=reason, sure=round(min(0.97, sure), 3), new_text=new_text, old_text=old_text
    )
