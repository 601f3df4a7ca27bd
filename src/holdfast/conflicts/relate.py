"""The judgement: what a new memory is to another one, by rules, and by nearness where there is an embedder."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import log, sqrt

from holdfast.conflicts.amounts import same_amount
from holdfast.conflicts.comparable_words import share_held, shared_weight, total_weight
from holdfast.conflicts.conflict_rules import (
    Nearness,
    contexts_apart,
    find_conflicts,
    has_different_labels,
    options_differ,
)
from holdfast.conflicts.learned_model import RECORDS, STATEMENTS, LearnedModel, load_learned_model
from holdfast.conflicts.read_memory import (
    BODY_PLACE,
    FACT,
    TITLE,
    Claim,
    MemoryReading,
    read_memory,
    texts_for_nearness,
)
from holdfast.conflicts.replacement_words import AWARE, StatedRemoval, find_removals, is_later_part, removal_match
from holdfast.conflicts.same_matter import are_records, read_features
from holdfast.conflicts.scope_overlap import compare_scopes
from holdfast.conflicts.sentence_conflicts import ConflictFinding
from holdfast.conflicts.stance_features import Stance, is_short, read_stance, stance_features, they_part
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.relation import MAY_REPLACE, OTHER_STANCE, SAME_MATTER, Kind, Overlap, Reach, Relation
from holdfast.core.value import Value, replace

ORDER = {kind: place for place, kind in enumerate(Kind)}
SURE_ENOUGH = 0.5
FIT = 0.7
HALF = 0.5
SAME_SUBJECT = 0.72
SAME_WORDS = 0.8
NEAR_SAME = 0.92
FEW = 8
SEARCHED = 8000
KEPT_BOTH = "keep_both"
# What no rule finds and no word says, only likeness: a person is asked when it is made, and never again.
BINDING = {MemoryType.DECISION, MemoryType.INVARIANT, MemoryType.PATTERN, MemoryType.ASSUMPTION}
ASKED = "it decides what the other decided: does it take its place?"
REVERSED = "one subject, and they say different things of it"
FLAGGED = (Kind.CONTRADICTS, Kind.SUPERSEDES)
IN_PASSING = "two records speak of it in passing"
# Rules that go by what a record chose and turned down; the others read single sentences.
OF_RECORDS = ("chosen and rejected", "same question", "other choice")
OF_ONE_SUBJECT = 0.3
APART = "they speak of different things"
# What no likeness changes: said by a link, by a person, or by time and place.
UNTOUCHED = ("link", "next version", "kept both", "time", "other paths")
_REPLACES = re.compile(
    r"\b(?:supersed|replac|overrid|obsolet|revok|revert|deprecat)\w*\b([^.;\n]{1,120})", re.IGNORECASE
)
_NUMBERED = re.compile(r"^([a-z]+)[-_ ]?0*(\d+)$", re.IGNORECASE)


class RelationVerdict(Value):
    """A relation before it has its names."""

    kind: Kind
    rule: str = ""
    reason: str = ""
    sure: float = 0.0
    new_text: str = ""
    old_text: str = ""


def unknown_nearness(_one: str, _other: str) -> float | None:
    """The nearness of whoever has no embedder: nobody knows."""
    return None


def relate_readings(
    new: MemoryReading,
    others: Sequence[MemoryReading],
    near: Nearness = unknown_nearness,
    *,
    now: datetime | None = None,
    learned: bool = True,
) -> tuple[Relation, ...]:
    """What a memory is to many, the most important first; `learned`: records are judged as records, too."""
    rare, leaving, when = _rarity([new, *others]), find_removals(new), now or datetime.now(UTC)
    found: Iterable[Relation] = [_relate_readings(new, each, near, when, rare, leaving) for each in others]
    if learned:
        found = _judge_statements(new, others, _judge_records(new, others, list(found), leaving))
    return tuple(sorted(found, key=relation_order))


def _judge_statements(
    new: MemoryReading, others: Sequence[MemoryReading], found: Iterable[Relation]
) -> Iterator[Relation]:
    """Of statements in a line or two: what no rule finds, and two say of one subject in quite different words."""
    mine = read_stance(new)
    short = is_short(mine)
    for old, relation in zip(others, found, strict=True):
        open_still = (
            short and relation.kind not in FLAGGED and relation.rule not in UNTOUCHED and not are_records(new, old)
        )
        yield _judge_statement(mine, read_stance(old), relation) if open_still else relation


def _judge_statement(mine: Stance, theirs: Stance, relation: Relation) -> Relation:
    model = load_learned_model(STATEMENTS)
    told_apart = has_different_labels(mine.read, theirs.read)
    if told_apart or not is_short(theirs) or MemoryType.FAILURE in (mine.read.memory.type, theirs.read.memory.type):
        return relation
    same = relation.kind is Kind.DUPLICATES
    features = stance_features(mine, theirs) | {"rule": 0.0, "dup": float(same)}
    chance = model.chance(features)
    if chance >= model.believe:
        reason, kind = REVERSED, Kind.SUPERSEDES if AWARE.search(mine.text) else Kind.CONTRADICTS
        return replace(relation, kind=kind, rule=OTHER_STANCE, reason=reason, sure=model.sure(chance))
    weak = same or relation.kind is Kind.REFINES or not {mine.read.memory.type, theirs.read.memory.type} <= BINDING
    floor = model.alone if weak or not they_part(features) else model.ask
    if chance >= floor and not same:
        return replace(relation, kind=Kind.SUPERSEDES, rule=MAY_REPLACE, reason=ASKED, sure=model.sure(chance))
    return relation


def _judge_records(
    new: MemoryReading, others: Sequence[MemoryReading], found: Sequence[Relation], leaving: Sequence[StatedRemoval]
) -> Iterator[Relation]:
    """Of records that give reasons at length: what a rule found in passing falls, what decides the same is asked."""
    model = load_learned_model(RECORDS)
    rows = read_features(new, others, leaving, [each.kind in FLAGGED for each in found])
    for old, relation, row in zip(others, found, rows, strict=True):
        if not are_records(new, old) or relation.rule in UNTOUCHED:
            yield relation
        else:
            yield _judge_record(relation, model.chance(row), model, flagged=bool(row["rule"]))


def _judge_record(relation: Relation, chance: float, model: LearnedModel, *, flagged: bool) -> Relation:
    """What a relation of two records is, by how likely one takes the other's place."""
    if flagged and chance >= model.believe and relation.rule in OF_RECORDS:
        return relation
    sure = model.sure(chance)
    if chance >= model.ask and relation.kind is not Kind.DUPLICATES:
        return replace(relation, kind=Kind.SUPERSEDES, rule=SAME_MATTER, reason=ASKED, sure=sure)
    if flagged:
        return replace(relation, kind=Kind.UNRELATED, rule="in passing", reason=IN_PASSING, sure=round(1 - sure, 3))
    if relation.kind is Kind.REFINES and relation.likeness < OF_ONE_SUBJECT:
        return replace(relation, kind=Kind.UNRELATED, rule="", reason=APART, sure=round(1 - relation.likeness, 3))
    return relation


def relate(
    new: Memory, old: Memory, near: Nearness = unknown_nearness, *, now: datetime | None = None, learned: bool = True
) -> Relation:
    """What a new memory is to an old one."""
    return relate_readings(read_memory(new), [read_memory(old)], near, now=now, learned=learned)[0]


def relation_order(relation: Relation) -> tuple[int, float, float, str]:
    """The order of relations: kind, then how sure."""
    # The more sure it is that two are unrelated, the less they matter.
    sure = relation.likeness if relation.kind is Kind.UNRELATED else relation.sure
    return ORDER[relation.kind], -sure, -relation.likeness, relation.old


def _relate_readings(
    new: MemoryReading,
    old: MemoryReading,
    near: Nearness,
    now: datetime,
    rare: Mapping[str, float],
    leaving: Sequence[StatedRemoval],
) -> Relation:
    scope = compare_scopes(new.memory, old.memory, now)
    cosine = near(texts_for_nearness(new.memory)[0], texts_for_nearness(old.memory)[0])
    judged = _judge_pair(new, old, near, scope, cosine, leaving)
    likeness = _likeness(new, old, cosine, rare)
    sure = judged.sure
    if judged.kind in (Kind.REFINES, Kind.UNRELATED):
        sure = round(likeness if judged.kind is Kind.REFINES else 1 - likeness, 3)
    return Relation(
        new=new.memory.id, old=old.memory.id, kind=judged.kind, rule=judged.rule, reason=judged.reason, sure=sure,
        new_text=judged.new_text or _memory_line(new), old_text=judged.old_text or _memory_line(old), scope=scope,
        likeness=round(likeness, 3),
    )  # fmt: skip


def _judge_pair(
    new: MemoryReading,
    old: MemoryReading,
    near: Nearness,
    scope: Overlap,
    cosine: float | None,
    leaving: Sequence[StatedRemoval],
) -> RelationVerdict:
    if because := _why_kept_both(new.memory, old.memory):
        return RelationVerdict(kind=Kind.UNRELATED, rule="kept both", reason=f"both are kept, because {because}")
    if _names_as_replaced(new.memory, old.memory):
        return RelationVerdict(kind=Kind.SUPERSEDES, rule="link", reason="it says that it replaces the other", sure=1.0)
    if not scope.time:
        return RelationVerdict(kind=Kind.UNRELATED, rule="time", reason="there is no time at which both hold")
    kin = _likeness_verdict(new, old, cosine)
    if scope.paths is Reach.APART:
        if kin is not None and kin.kind is Kind.DUPLICATES:
            return RelationVerdict(kind=Kind.REFINES, rule="other paths", reason="the same rule for other paths")
        return RelationVerdict(kind=Kind.UNRELATED, rule="other paths", reason="they hold at different paths")
    replaced = _replacement_verdict(new, old, leaving)
    clash = max(find_conflicts(new, old, near), key=lambda finding: finding.sure, default=None)
    if clash is not None and clash.sure < SURE_ENOUGH:
        clash = None
    if replaced is not None:
        return replaced
    if clash is not None:
        aware = AWARE.search(clash.new_text) or AWARE.search(new.memory.title)
        kind = Kind.SUPERSEDES if aware else Kind.CONTRADICTS
        return _conflict_verdict(kind, clash)
    return kin or RelationVerdict(kind=Kind.UNRELATED, reason=APART)


def _conflict_verdict(kind: Kind, finding: ConflictFinding) -> RelationVerdict:
    return RelationVerdict(
        kind=kind, rule=finding.rule, reason=finding.reason, sure=finding.sure,
        new_text=finding.new_text, old_text=finding.old_text,
    )  # fmt: skip


def _why_kept_both(new: Memory, old: Memory) -> str:
    """Why a person kept both, as either of them records it."""
    for one, other in ((new, old), (old, new)):
        kept = one.extra.get(KEPT_BOTH)
        for row in kept if isinstance(kept, list | tuple) else ():
            if isinstance(row, Mapping) and row.get("id") == other.id:
                return str(row.get("because") or "somebody said so")
    return ""


def _names_as_replaced(new: Memory, old: Memory) -> bool:
    """Whether the new one names the old one as replaced."""
    if not old.id:
        return False
    if old.id in new.supersedes:
        return True
    said = f"{new.title}\n{new.choice}\n{new.fact}\n{new.body}"[:SEARCHED]
    return any(_names_id(found[1], old.id) for found in _REPLACES.finditer(said))


def _names_id(text: str, memory_id: str) -> bool:
    if re.search(rf"(?<![\w-]){re.escape(memory_id)}(?![\w-])", text, re.IGNORECASE):
        return True
    own = _NUMBERED.match(memory_id)
    if own is None:
        return False
    return any(
        prefix.casefold() == own[1].casefold() and int(number) == int(own[2])
        for prefix, number in re.findall(r"\b([A-Za-z]+)[-_ #]{0,2}0*(\d{1,9})\b", text)
    )


def _replacement_verdict(
    new: MemoryReading, old: MemoryReading, leaving: Sequence[StatedRemoval]
) -> RelationVerdict | None:
    """What the new one says goes, if it is the old one."""
    if is_later_part(new.memory.title, old.memory.title):
        return RelationVerdict(
            kind=Kind.SUPERSEDES, rule="next version", reason="its title is the next version of the other", sure=0.85
        )
    if contexts_apart(new, old):
        return None
    for each in leaving:
        fit = removal_match(each, old) if each.strong else _now_differs(each, new, old)
        if not fit and each.amounts and share_held(old.head, new.head) >= FIT:
            numbers = [amount for claim in old.claims for amount in claim.amounts]
            fit = float(
                any(one.of == other.of and same_amount(one, other) for one in each.amounts for other in numbers)
            )
        titled = each.place == TITLE and old.claims and share_held(old.claims[0].words, each.words) >= HALF
        if fit < FIT or not (titled or _topics_match(new, old, each.words)):
            continue
        if any(share_held(each.words, option.words) >= FIT for option in old.drops):
            continue
        sure = 0.6 + 0.35 * fit - (0.15 if each.place == BODY_PLACE else 0.0) - (0.2 if not each.strong else 0.0)
        return RelationVerdict(
            kind=Kind.SUPERSEDES, rule="replaces", reason=f"it says that the other goes: {each.text!r}",
            sure=round(sure, 3), new_text=each.text, old_text=_memory_line(old),
        )  # fmt: skip
    return None


def _now_differs(each: StatedRemoval, new: MemoryReading, old: MemoryReading) -> float:
    """Whether what there is now is what the old one takes, and the new one takes something else."""
    if not (new.takes and old.takes) or not old.takes[0].names or not options_differ(new.takes[0], old.takes[0]):
        return 0.0
    return removal_match(each, old) if old.takes[0].names <= each.words.keys() else 0.0


def _topics_match(new: MemoryReading, old: MemoryReading, leaving: Mapping[str, float]) -> bool:
    """Whether two topics fit, what goes and what comes aside."""
    aside = {*leaving, *(form for option in (*new.takes, *old.takes) for form in option.words)}
    mine = {form: weight for form, weight in {**new.topic, **new.question}.items() if form not in aside}
    theirs = {form: weight for form, weight in {**old.topic, **old.question}.items() if form not in aside}
    least = min(total_weight(mine), total_weight(theirs))
    return least < 0.5 or shared_weight(mine, theirs) / least >= 0.34


def _likeness_verdict(new: MemoryReading, old: MemoryReading, cosine: float | None) -> RelationVerdict | None:
    """Duplicate, refinement or neither: by the words that both hold, and by nearness."""
    if has_different_labels(new, old):
        return None
    if bool(new.claims and new.claims[0].negative) != bool(old.claims and old.claims[0].negative) and not _both_choose(
        new, old
    ):
        return None
    within, around = max(
        (
            (share_held(a, b), share_held(b, a))
            for a, b in _sayings(new, old)
            if total_weight(a) >= 0.9 and total_weight(b) >= 0.9
        ),
        key=lambda both: min(both) + 0.2 * max(both),
        default=(0.0, 0.0),
    )
    if min(within, around) >= SAME_WORDS and _same_amounts(new, old):
        return RelationVerdict(
            kind=Kind.DUPLICATES,
            rule="same words",
            reason=_sameness_reason(new, old),
            sure=round(min(within, around), 3),
        )
    if cosine is not None and cosine >= NEAR_SAME and min(within, around) >= FIT and _same_amounts(new, old):
        return RelationVerdict(
            kind=Kind.DUPLICATES,
            rule="near",
            reason=f"both say the same in other words ({cosine:.2f})",
            sure=round(cosine, 3),
        )
    if max(within, around) >= SAME_SUBJECT or _about_its_choice(new, old):
        return RelationVerdict(
            kind=Kind.REFINES, rule="same subject", reason="the same subject; it says more, or something beside it"
        )
    return None


def _sameness_reason(new: MemoryReading, old: MemoryReading) -> str:
    """In what two are the same: what stands below the title is looked at by a person."""
    below = [" ".join(each.memory.body.split()) for each in (new, old)]
    return "both say the same" if below[0] == below[1] else "the titles say the same; what stands below them differs"


def _sayings(new: MemoryReading, old: MemoryReading) -> Iterator[tuple[Mapping[str, float], Mapping[str, float]]]:
    """What the two say, in pairs: facts where both have one, else titles with what they choose, and titles alone."""
    facts = [claim.words for each in (new, old) for claim in each.claims if claim.place == FACT]
    if new.memory.fact and old.memory.fact and len(facts) == 2:
        yield facts[0], facts[1]
        return
    yield new.head, old.head
    chosen = bool(new.takes and old.takes) and options_differ(new.takes[0], old.takes[0])
    if new.claims and old.claims and not chosen:
        yield new.claims[0].words, old.claims[0].words


def _both_choose(new: MemoryReading, old: MemoryReading) -> bool:
    return bool(new.takes and old.takes) and not options_differ(new.takes[0], old.takes[0])


def _top_claims(each: MemoryReading) -> list[Claim]:
    return [claim for claim in each.claims if claim.place != BODY_PLACE]


def _same_amounts(new: MemoryReading, old: MemoryReading) -> bool:
    """Whether the heads name the same numbers."""
    mine = [amount for claim in _top_claims(new) for amount in claim.amounts]
    theirs = [amount for claim in _top_claims(old) for amount in claim.amounts]
    return all(any(one.of == other.of and same_amount(one, other) for other in theirs) for one in mine) and all(
        any(one.of == other.of and same_amount(one, other) for other in mine) for one in theirs
    )


def _about_its_choice(new: MemoryReading, old: MemoryReading) -> bool:
    """Whether the new one begins with what the old one chose."""
    if not old.memory.choice or new.memory.type is MemoryType.FAILURE:
        return False
    names = old.takes[0].names
    begins = [word.form for claim in _top_claims(new) for word in claim.order[:2]]
    return bool(names) and bool(names & set(begins))


def _likeness(new: MemoryReading, old: MemoryReading, cosine: float | None, rare: Mapping[str, float]) -> float:
    """How much two memories are about the same, from 0 to 1."""
    head = _rare_alike(new.head, old.head, rare)
    said = _rare_alike(new.bag, old.bag, rare) if rare else head
    return said if cosine is None else 0.5 * said + 0.5 * max(0.0, cosine)


def _rare_alike(one: Mapping[str, float], other: Mapping[str, float], rare: Mapping[str, float]) -> float:
    """The cosine of two bags of words."""
    mine = {form: weight * rare.get(form, 1.0) for form, weight in one.items()}
    theirs = {form: weight * rare.get(form, 1.0) for form, weight in other.items()}
    both = sum(weight * theirs[form] for form, weight in mine.items() if form in theirs)
    size = sqrt(sum(w * w for w in mine.values()) * sum(w * w for w in theirs.values()))
    return both / size if size else 0.0


def _rarity(many: Sequence[MemoryReading]) -> Mapping[str, float]:
    """How rare each word is here; nothing where there are too few memories to tell."""
    if len(many) < FEW:
        return {}
    counts = Counter(form for each in many for form in each.bag)
    return {form: log(1 + len(many) / count) for form, count in counts.items()}


def _memory_line(each: MemoryReading) -> str:
    memory = each.memory
    choice = f" → {memory.choice}" if memory.choice and memory.choice.casefold() not in memory.title.casefold() else ""
    return f"{memory.fact or memory.title}{choice}"
