"""Candidates in a person's hands: accepted, rejected, merged; and contradictions resolved. Each call is one batch."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256

from holdfast.conflicts.subject import subject_of
from holdfast.core.errors import BadRequest, Conflict
from holdfast.core.memory import Entry, Memory, Scope, Status
from holdfast.core.relation import ASKING, Kind, Relation, Resolution, Rewrite, TurnDown
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.index.entries import find_entry, is_candidate
from holdfast.review.batches import Batch, open_batch
from holdfast.review.endings import drop_suggestions, find_endings, is_suggestion
from holdfast.review.lifecycle import FinishPlan, plan_accept, promote_candidate, reject_candidate
from holdfast.review.merge_memories import mark_merged_away, merge_memories
from holdfast.review.overview_edit import apply_page_edit, edit_of
from holdfast.review.queue import EVERY, CandidateFilter, NoCandidateNamed, NotACandidate, find_candidate, list_waiting
from holdfast.review.queue_groups import QueueGroup, SettledCandidate
from holdfast.review.relations import EntryRelation, RelationFinder, is_blocking
from holdfast.review.remember import journal_entry_change
from holdfast.review.resolve_conflict import ResolveRequest, mark_kept_beside, narrow_to_paths, plan_resolution
from holdfast.review.settle_group import find_groups, gather_evidence, list_repeats, settle_accepted
from holdfast.trust.allow import mark_as_own, require_proof
from holdfast.trust.presence import prove_person
from holdfast.trust.visibility import PAGE, read_overview_page
from holdfast.vault.entry_json import now, today
from holdfast.vault.promotion import choose_target_scope, is_promotion, strip_promotion
from holdfast.workspace import App, need_person

__all__ = [
    "EVERY",
    "AcceptedCandidate",
    "BlockedCandidate",
    "CandidateFilter",
    "MergedCandidates",
    "NoCandidateNamed",
    "NotACandidate",
    "ResolveRequest",
    "ResolvedConflict",
    "ReviewResult",
    "accept",
    "list_waiting",
    "merge",
    "reject",
    "resolve",
]

REPLACES = (Kind.CONTRADICTS, Kind.SUPERSEDES)
# What an answer is about, where it does not name a memory.
ANSWERED = (Kind.CONTRADICTS, Kind.SUPERSEDES, Kind.DUPLICATES)
AT_ONCE = 500

# A person looked at the queue then, where it says what goes with an answer.
SETTLING_VERBS = ("accept", "resolve")

# What a candidate is to memory, the most important first and without what is unrelated; None where nobody looked.
Known = Callable[[Entry], tuple[EntryRelation, ...] | None]


class MergeNeedsTwo(BadRequest):
    """A merge of one thing into itself."""

    def __init__(self) -> None:
        super().__init__("One thing cannot be merged.", "name two, or give --into ID.")


class ConflictNotInForce(BadRequest):
    """A conflict with something that does not hold any more."""

    def __init__(self, memory_id: str, status: str) -> None:
        super().__init__(
            f"{memory_id!r} is {status}: there is nothing to resolve.", "look again: holdfast check --memories"
        )


class NotInConflict(BadRequest):
    """Two that are in no conflict."""

    def __init__(self, new: str, old: str) -> None:
        super().__init__(
            f"{new!r} is in no conflict with {old!r}.",
            f"`holdfast check --memories {new}` shows what it is to others; `--supersede` replaces {old!r} anyway.",
        )


class NoConflictToAnswer(BadRequest):
    """A way to resolve, and no conflict."""

    def __init__(self, candidate: str, choice: str) -> None:
        super().__init__(
            f"{candidate!r} is in no conflict: --{choice} has nothing to resolve.",
            f"`holdfast accept {candidate}` accepts it; `--against ID` names a memory all the same.",
        )


class CannotMerge(Conflict):
    """A candidate that contradicts what it should go into."""

    def __init__(self, relation: Relation) -> None:
        super().__init__(
            f"{relation.new!r} {relation.kind} {relation.old!r}: {relation.reason}.",
            f"resolve it instead: holdfast accept {relation.new} --supersede | --keep-old | --narrow GLOB | "
            "--keep-both --because WHY",
        )


class AcceptedCandidate(Value):
    """A candidate and the memory it became. `ended`: what ended with it; `kept`: what it only suggests to end."""

    candidate: str
    entry: Entry
    ended: tuple[Entry, ...] = ()
    kept: tuple[Entry, ...] = ()


class BlockedCandidate(Value):
    """A candidate that contradicts what holds."""

    entry: Entry
    conflicts: tuple[EntryRelation, ...]


class ReviewResult(Value):
    """What became of candidates. `turned_down`: the old one was kept instead. `beside`: relations that do not block.

    `settled`: other candidates that went with those accepted, for they say the same, or were taken back by them.
    """

    accepted: tuple[AcceptedCandidate, ...] = ()
    blocked: tuple[BlockedCandidate, ...] = ()
    turned_down: tuple[Entry, ...] = ()
    beside: tuple[EntryRelation, ...] = ()
    settled: tuple[SettledCandidate, ...] = ()


class MergedCandidates(Value):
    """What took the words of others, and which."""

    entry: Entry
    merged: tuple[str, ...]


class ResolvedConflict(Value):
    """A pair that is in no conflict any more: how, and both as they are now."""

    choice: str
    new: Entry
    old: Entry


def accept(  # noqa: PLR0913 -- what a person can say of it, and what is known already
    app: App, ids: Sequence[str], scope: str = "", *, again: bool = False, answer: ResolveRequest | None = None,
    against: str = "", verb: str = "accept", known: Known | None = None,
) -> ReviewResult:  # fmt: skip
    """Accept candidates. What contradicts a memory that holds is blocked, unless `answer` says how to resolve it.

    With `against`, the answer is for the conflict with that memory alone. `known`: what a candidate that waits is to
    memory as it is now, if somebody looked; so that it is not looked for twice.
    """
    command = f"accept {' '.join(ids)}".rstrip()
    prove_person(app, command)
    found = list({entry.memory.id: entry for entry in (find_candidate(app, wanted) for wanted in ids)}.values())
    targets = {entry.memory.id: choose_target_scope(app, entry.memory, scope) for entry in found}
    if Scope.TEAM in targets.values():
        require_proof(app, command)
    other = find_entry(app, against) if against else None
    return _Accepting(app, targets, answer, other, known, again=again).run(found, verb)


class _Accepting:
    """One acceptance of many: each is held against what holds, and against what was accepted before it."""

    def __init__(
        self, app: App, targets: Mapping[str, Scope], answer: ResolveRequest | None, against: Entry | None,
        known: Known | None, *, again: bool,
    ) -> None:  # fmt: skip
        self._app, self._targets, self._again = app, targets, again
        self._answer, self._against, self._known = answer, against, known
        self._alone = False
        self._links = app.index.links()[0]
        self._there: list[Entry] = []
        self._accepted: list[AcceptedCandidate] = []
        self._blocked: list[BlockedCandidate] = []
        self._turned_down: list[Entry] = []
        self._beside: list[EntryRelation] = []
        self._groups: Mapping[str, QueueGroup] = {}
        self._settled: list[SettledCandidate] = []

    @cached_property
    def _look(self) -> RelationFinder:
        return RelationFinder(self._app)

    def run(self, found: Sequence[Entry], verb: str) -> ReviewResult:
        self._there = _find_existing(self._app, found)
        # Refused before the first is written: what was decided before, an id that stands for something else.
        for entry in found:
            if not edit_of(entry.memory):
                plan_accept(entry, self._there, now(self._app), again=self._again)
        self._alone = len(found) == 1
        self._groups = find_groups(self._app, found) if verb in SETTLING_VERBS else {}
        with open_batch(self._app, verb) as made:
            for done, entry in enumerate(found, 1):
                self._one(made, entry)
                if self._app.progress is not None:
                    self._app.progress(verb, done, len(found))
        return ReviewResult(
            accepted=tuple(self._accepted), blocked=tuple(self._blocked), turned_down=tuple(self._turned_down),
            beside=tuple(self._beside), settled=tuple(self._settled),
        )  # fmt: skip

    def _one(self, made: Batch, entry: Entry) -> None:
        if edit_of(entry.memory):
            self._accepted.append(_edit_page(self._app, made, entry))
            return
        # One that was rejected before is looked at as if it waited: what is turned down holds at no time.
        asked = replace(entry, memory=replace(entry.memory, status=Status.CANDIDATE))
        beside = [each.entry for each in self._accepted] + ([self._against] if self._against else [])
        related = None if beside or entry != asked or self._known is None else self._known(entry)
        related = self._look.at(asked, beside=beside) if related is None else related
        answered = self._answered(related)
        if self._answer and self._alone and not answered and self._answer.choice != Resolution.NARROW:
            raise NoConflictToAnswer(entry.memory.id, self._answer.choice)
        open_still = tuple(each for each in related if is_blocking(each) and each not in answered)
        if open_still:
            self._blocked.append(BlockedCandidate(entry=self._partly(made, entry, answered), conflicts=open_still))
            return
        new, olds = self._resolved(entry, answered)
        if new is None:
            self._turned_down.append(entry)
            self._reject(made, entry, answered)
            return
        self._beside += [each for each in related if each not in answered and each.relation.kind is not Kind.UNRELATED]
        self._write(made, entry, new, olds)

    def _partly(self, made: Batch, entry: Entry, answered: Sequence[EntryRelation]) -> Entry:
        """The candidate with the answers that it got, while it waits for others. The old ones end when it is taken."""
        new, _ = self._resolved(entry, answered)
        return entry if new is None or new == entry.memory else made.rewrite(entry, new)

    def _answered(self, related: Sequence[EntryRelation]) -> list[EntryRelation]:
        """What the answer is about: the memory it names; else all that a rule found, or the likeliest that is asked."""
        if self._answer is None:
            return []
        if self._against is not None:
            return [each for each in related if each.relation.old == self._against.memory.id]
        found = [each for each in related if each.relation.kind in ANSWERED]
        return [each for each in found if each.relation.rule not in ASKING] or found[:1]

    def _resolved(
        self, entry: Entry, answered: Sequence[EntryRelation]
    ) -> tuple[Memory | None, list[tuple[Entry, Memory]]]:
        """The candidate as it shall become, or None where the old one stays; and the old ones that change."""
        said = drop_suggestions(entry.memory, self._answer, self._against.memory.id if self._against else "")
        new, olds = said, []
        if self._answer and not answered and self._answer.choice == Resolution.NARROW:
            return narrow_to_paths(new, self._answer.paths, now(self._app)), []
        for each in answered:
            if self._answer is None:
                continue
            if self._answer.choice == Resolution.NARROW and new is not said:
                # The paths are the same for every conflict.
                new = mark_kept_beside(new, each.old.memory, self._answer.because or "it holds at some paths only")
                continue
            plan = plan_resolution(new, each.old.memory, each.relation, self._answer, now(self._app), self._links)
            for change in plan:
                match change:
                    case TurnDown():
                        return None, []
                    case Rewrite(memory=memory) if memory.id == new.id:
                        new = memory
                    case Rewrite(memory=memory):
                        olds.append((each.old, memory))
        known = {old.memory.id for old, _ in olds}
        return new, [*olds, *self._ended(new, known)]

    def _ended(self, new: Memory, known: set[str]) -> Iterable[tuple[Entry, Memory]]:
        """What the candidate itself says that it supersedes ends when it begins."""
        for entry in self._there if not is_promotion(new) else ():
            memory = entry.memory
            if memory.id in new.supersedes and memory.id not in known and not memory.valid_until:
                ends = replace(memory, valid_until=new.valid_from or today(self._app), updated=now(self._app))
                yield entry, ends

    def _write(self, made: Batch, entry: Entry, new: Memory, olds: Sequence[tuple[Entry, Memory]]) -> None:
        group = self._groups.get(entry.memory.id)
        new = replace(new, subject=subject_of(new))
        whole = replace(entry, memory=gather_evidence(new, group))
        plan = plan_accept(whole, self._there, now(self._app), again=self._again)
        target = self._targets[entry.memory.id]
        there = plan.there if isinstance(plan, FinishPlan) else made.create(strip_promotion(plan.memory), target)
        for old, memory in olds:
            journal_entry_change(self._app, "memory.changed", made.rewrite(old, memory))
        made.remove(entry)
        journal_entry_change(self._app, "candidate.accepted", there)
        self._there.append(there)
        ended = tuple(replace(old, memory=memory) for old, memory in olds if memory.valid_until)
        kept = find_endings(self._app, entry.memory) if is_suggestion(entry.memory) else []
        self._accepted.append(
            AcceptedCandidate(
                candidate=entry.memory.id, entry=there, ended=ended,
                kept=tuple(each for each in kept if each.memory.id not in there.memory.supersedes),
            )
        )  # fmt: skip
        if group is not None:
            self._settled += settle_accepted(self._app, made, group, there.memory.id)

    def _reject(self, made: Batch, entry: Entry, answered: Sequence[EntryRelation]) -> None:
        kept = answered[0]
        because = (self._answer and self._answer.because) or f"{kept.relation.old} stays: {kept.relation.reason}"
        changed = made.rewrite(entry, reject_candidate(entry.memory, because, now(self._app)))
        journal_entry_change(self._app, "candidate.rejected", changed)


def _find_existing(app: App, candidates: Sequence[Entry]) -> list[Entry]:
    """The memories that acceptance has to do with: those with an id that a candidate would get, or supersedes."""
    ids = {
        name for each in candidates for name in (promote_candidate(each.memory, now(app)).id, *each.memory.supersedes)
    }
    ordered = sorted(ids)
    some = (ordered[begin : begin + AT_ONCE] for begin in range(0, len(ordered), AT_ONCE))
    found = (entry for part in some for entry in app.index.select(Select(ids=tuple(part))))
    return [entry for entry in found if not is_candidate(entry)]


def _edit_page(app: App, made: Batch, candidate: Entry) -> AcceptedCandidate:
    """Carry out an edit of the people's own page; no memory comes of it."""
    before = read_overview_page(app)
    after = apply_page_edit(before.decode("utf-8", "surrogateescape"), candidate.memory).encode(
        "utf-8", "surrogateescape"
    )
    made.put_page(after, candidate.memory.id)
    page = replace(candidate, scope=app.scope, path=PAGE, line=1, sha256=sha256(after).hexdigest())
    mark_as_own(app, page, sha256(before).hexdigest())
    made.remove(candidate)
    journal_entry_change(app, "overview.edited", page)
    return AcceptedCandidate(candidate=candidate.memory.id, entry=page)


def reject(app: App, ids: Sequence[str], because: str) -> list[Entry]:
    """Reject candidates, and those that say the same; they are remembered, so that it is not proposed again."""
    need_person(app, f"reject {' '.join(ids)}".rstrip())
    found = list({entry.memory.id: entry for entry in (find_candidate(app, wanted) for wanted in ids)}.values())
    found += list_repeats(find_groups(app, found), {entry.memory.id for entry in found})
    done = []
    with open_batch(app, "reject") as made:
        for entry in found:
            changed = made.rewrite(entry, reject_candidate(entry.memory, because or entry.memory.because, now(app)))
            journal_entry_change(app, "candidate.rejected", changed)
            done.append(changed)
    return done


def merge(app: App, ids: Sequence[str], into: str = "") -> MergedCandidates:
    """Give what candidates say and rest on to one of them, or to `into`, a memory or a candidate."""
    if not ids:
        raise MergeNeedsTwo
    prove_person(app, f"accept {' '.join(ids if into else ids[1:])} --into {into or ids[0]}")
    target = find_entry(app, into) if into else find_candidate(app, ids[0])
    asked = (find_candidate(app, wanted) for wanted in ids)
    others = list({each.memory.id: each for each in asked if each.memory.id != target.memory.id}.values())
    if not others:
        raise MergeNeedsTwo
    if target.memory.status in (Status.REJECTED, Status.SUPERSEDED, Status.DEPRECATED):
        raise ConflictNotInForce(target.memory.id, target.memory.status)
    look = RelationFinder(app)
    for each in others:
        for found in look.at(each, beside=[target]):
            if found.relation.old == target.memory.id and is_blocking(found):
                raise CannotMerge(found.relation)
    memory = target.memory
    for each in others:
        memory = merge_memories(memory, drop_suggestions(each.memory, None), now(app))
    if target.memory.paths and not memory.paths:
        app.notices.append(f"{target.memory.id} held at {', '.join(target.memory.paths)}; now it holds everywhere.")
    with open_batch(app, "merge") as made:
        entry = made.rewrite(target, memory)
        journal_entry_change(app, "memory.changed", entry)
        for each in others:
            journal_entry_change(
                app, "candidate.merged", made.rewrite(each, mark_merged_away(each.memory, memory.id, now(app)))
            )
    return MergedCandidates(entry=entry, merged=tuple(each.memory.id for each in others))


def resolve(app: App, new: str, old: str, answer: ResolveRequest) -> ResolvedConflict:
    """Resolve the conflict of two memories that both hold: after a merge of branches, after an edit by hand."""
    prove_person(app, f"resolve {new} {old} --{answer.choice}")
    pair = find_entry(app, new), find_entry(app, old)
    if is_candidate(pair[0]):
        return _resolve_candidate(app, pair[0], pair[1], answer)
    for each in pair:
        if each.memory.status is not Status.ACCEPTED:
            raise ConflictNotInForce(each.memory.id, each.memory.status)
    relation = _relation(app, pair[0], pair[1], answer)
    plan = plan_resolution(pair[0].memory, pair[1].memory, relation, answer, now(app), app.index.links()[0])
    by_id = {each.memory.id: each for each in pair}
    with open_batch(app, "resolve") as made:
        for change in plan:
            kept = by_id[change.memory.id]
            # The newer of two memories that hold is turned down by ending it: it was believed, and stays readable.
            memory = change.memory if isinstance(change, Rewrite) else _end_memory(app, kept.memory, change.because)
            by_id[change.memory.id] = made.rewrite(kept, memory)
            journal_entry_change(app, "memory.changed", by_id[change.memory.id])
    return ResolvedConflict(choice=answer.choice, new=by_id[pair[0].memory.id], old=by_id[pair[1].memory.id])


def _resolve_candidate(app: App, new: Entry, old: Entry, answer: ResolveRequest) -> ResolvedConflict:
    done = accept(app, [new.memory.id], answer=answer, against=old.memory.id, verb="resolve")
    if done.blocked:
        look = f"holdfast check --memories {new.memory.id}"
        app.notices.append(f"{new.memory.id} is in conflict with others still: {look}")
    now_new = done.accepted[0].entry if done.accepted else find_entry(app, new.memory.id)
    return ResolvedConflict(choice=answer.choice, new=now_new, old=find_entry(app, old.memory.id))


def _relation(app: App, new: Entry, old: Entry, answer: ResolveRequest) -> Relation:
    for each in RelationFinder(app).at(new, beside=[old]):
        if each.relation.old == old.memory.id and each.relation.kind in REPLACES:
            return each.relation
    if answer.choice == Resolution.SUPERSEDE:
        return Relation(new=new.memory.id, old=old.memory.id, kind=Kind.SUPERSEDES, reason="a person says so")
    raise NotInConflict(new.memory.id, old.memory.id)


def _end_memory(app: App, memory: Memory, because: str) -> Memory:
    ends = replace(memory, status=Status.DEPRECATED, valid_until=today(app), updated=now(app))
    return replace(ends, because=because) if because else ends
