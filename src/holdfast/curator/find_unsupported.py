"""Orphans, missing evidence, and what is too long: one memory at a time."""

from collections.abc import Iterator

from holdfast.core.memory import Memory, MemoryType, SaidBy
from holdfast.core.times import parse_moment
from holdfast.core.value import replace
from holdfast.curator.curator_finding import CurationFinding, FindingKind, FixPlan, MemoryRewrite
from holdfast.curator.curator_input import CuratorInput
from holdfast.curator.plan_changes_of import format_time, plan_deprecation
from holdfast.review.lifecycle import reject_candidate

A_TOKEN = 4
FEW_WORDS = 3
UNSPACED = 0x2E80
DAYS = 7


def estimate_tokens(memory: Memory) -> int:
    """About how many tokens a memory costs whoever is shown it whole, at four characters each."""
    said = (memory.title, memory.question, memory.choice, memory.fact, memory.root_cause, memory.context, memory.body)
    return sum(map(len, said)) // A_TOKEN


def find_orphans(world: CuratorInput) -> Iterator[CurationFinding]:
    """Links to nothing, and candidates that nobody looks at."""
    for memory in world.memories:
        gone = [each for each in memory.supersedes if each not in world.there]
        if gone:
            kept = tuple(each for each in memory.supersedes if each not in gone)
            after = replace(memory, supersedes=kept, updated=format_time(world.now))
            way = FixPlan(
                name="unlink", about="take the link out", changes=(MemoryRewrite(before=memory, after=after),)
            )
            yield CurationFinding(
                kind=FindingKind.ORPHANS, rule="link", ids=(memory.id,), ways=(way,), default="unlink",
                reason=f"it supersedes {', '.join(gone[:4])}, which is not here",
            )  # fmt: skip
    yield from _find_waiting(world)


def _find_waiting(world: CuratorInput) -> Iterator[CurationFinding]:
    weeks = world.limits.candidate_weeks
    old = [memory for memory in world.candidates if _weeks(memory, world) >= weeks]
    if not old:
        return
    because = f"nobody looked at it for {weeks} weeks"
    changes = tuple(
        MemoryRewrite(before=each, after=reject_candidate(each, because, format_time(world.now))) for each in old
    )
    many = "1 candidate waits" if len(old) == 1 else f"{len(old)} candidates wait"
    yield CurationFinding(
        kind=FindingKind.ORPHANS, rule="waiting", ids=tuple(each.id for each in old), sure=1.0,
        reason=f"{many} for {weeks} weeks or longer",
        ways=(FixPlan(name="reject", about="turn them all down; they are not proposed again", changes=changes),),
        hints=("holdfast list --candidates",),
    )  # fmt: skip


def _weeks(memory: Memory, world: CuratorInput) -> int:
    made = parse_moment(memory.updated) or parse_moment(memory.valid_from)
    return (world.now - made).days // DAYS if made else 0


def find_missing_evidence(world: CuratorInput) -> Iterator[CurationFinding]:
    """Memories that nothing speaks for, and decisions that do not say what was decided."""
    for memory in world.holding:
        lost = world.lost.get(memory.id, ())
        if memory.said_by is not SaidBy.USER and not memory.evidence and not memory.cites:
            reason = f"the {memory.said_by} said it, and there is no evidence"
            yield _unproved_finding(memory, "none", reason, 0.8, world)
        elif lost and len(lost) == len(memory.evidence) and memory.said_by is not SaidBy.USER:
            reason = "its evidence quotes nothing, and the journal here does not have the events"
            yield _unproved_finding(memory, "lost", reason, 0.5, world)
        elif _is_hollow(memory):
            yield _unproved_finding(memory, "hollow", "it says too little to be of use", 0.6, world)
        elif memory.type is MemoryType.DECISION and (missing := _missing_parts(memory)):
            yield CurationFinding(
                kind=FindingKind.EVIDENCE, rule="incomplete", ids=(memory.id,), sure=0.9,
                reason=f"a decision without its {' and its '.join(missing)}", hints=(f"holdfast edit {memory.id}",),
            )  # fmt: skip


def _unproved_finding(memory: Memory, rule: str, reason: str, sure: float, world: CuratorInput) -> CurationFinding:
    return CurationFinding(
        kind=FindingKind.EVIDENCE, rule=rule, ids=(memory.id,), reason=reason, sure=sure,
        ways=(plan_deprecation(memory, reason, world.now),), hints=(f"holdfast edit {memory.id}",),
    )  # fmt: skip


def _is_hollow(memory: Memory) -> bool:
    """Whether a memory says next to nothing: a word or two, and no more anywhere. A decision may be as short."""
    if memory.type in (MemoryType.DECISION, MemoryType.INVARIANT) or memory.enforce:
        return False
    fields = (memory.title, memory.fact, memory.body, memory.root_cause, memory.error_message)
    words = {word.strip(".,;:!?") for word in " ".join(fields).casefold().split()}
    # Where words are written without spaces, their number tells nothing.
    return len(words) < FEW_WORDS and all(ord(letter) < UNSPACED for word in words for letter in word)


def _missing_parts(memory: Memory) -> list[str]:
    """What a decision lacks: the answer where its title or question only asks, and the reason."""
    title, body = _normalize_text(memory.title), _normalize_text(memory.body)
    answered = memory.choice or not (memory.question or title.endswith("?")) or (body and body not in title)
    reasoned = any(option.reason for option in memory.rejected) or (body and body not in title)
    return [word for word, there in (("choice", answered), ("reason", reasoned)) if not there]


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".…")


def find_too_long(world: CuratorInput) -> Iterator[CurationFinding]:
    """What costs an agent more than it should."""
    most = world.limits.longest_tokens
    for memory in world.holding:
        cost = estimate_tokens(memory)
        if cost > most:
            yield CurationFinding(
                kind=FindingKind.OVER_LONG,
                rule="tokens",
                ids=(memory.id,),
                reason=f"about {cost:,} tokens, {most:,} at most",
                hints=(f"holdfast edit {memory.id}",),
            )
