"""Memories against memories: those that hold here, and those of another branch against them."""

import os
from collections.abc import Mapping, Sequence

from holdfast.core.finding import Checked, Finding, Other, Severity
from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry, Memory, Status
from holdfast.core.relation import Kind
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.recall.validity import holds_at
from holdfast.review.conflict_pairs import ConflictPair, find_conflict_pairs
from holdfast.review.git_branch import BranchMemories, read_branch, read_memories_at
from holdfast.review.relations import EntryRelation, RelationFinder
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

SEVERITIES = {Kind.CONTRADICTS: Severity.ERROR, Kind.SUPERSEDES: Severity.WARNING}


def check_memories(app: App) -> Checked:
    """The memories that hold, against each other."""
    found = find_conflict_pairs(app)
    findings = [_build_local_finding(app, pair) for pair in found.pairs]
    return Checked(findings=tuple(findings), memories=found.holding)


def check_branch(app: App, revision: str) -> Checked:
    """The memories of another branch, where they differ from the commit that both come from, against those here."""
    root = os.path.realpath(app.workspace or os.getcwd())
    there = read_branch(root, revision)
    if not there.base:
        app.notices.append(f"{revision} and what is here have no commit in common: every memory there counts as new.")
    here = _find_also_here(app, there)
    holding = _find_holding(app, there, here)
    related = _find_conflicts(app, there, holding, here)
    old = read_memories_at(root, there.base, [each.old.path for each in related])
    told = [each for each in related if not _is_settled(each, old, here)]
    unread = tuple(replace(problem, path=f"{FOLDER}/{problem.path}") for problem in there.unread)
    abroad = {entry.memory.id for entry in holding}
    findings = [_build_branch_finding(app, each, revision, abroad=each.new.memory.id in abroad) for each in told]
    return Checked(findings=tuple(findings), unread=unread, memories=len(holding))


def _find_also_here(app: App, there: BranchMemories) -> dict[str, Memory]:
    """What the memories that the branch changed say here, by id."""
    ids = tuple(entry.memory.id for entry in there.entries)
    return {entry.memory.id: entry.memory for entry in app.index.select(Select(ids=ids))} if ids else {}


def _find_holding(app: App, there: BranchMemories, here: Mapping[str, Memory]) -> list[Entry]:
    """The memories of the branch that hold now, and are not here already."""
    links = [link for entry in there.entries for link in entry.memory.supersedes]
    replaced = {*links, *(link.old for link in app.index.links()[0])}
    now = app.clock.now()
    return [
        entry
        for entry in there.entries
        if entry.memory.id not in replaced
        and here.get(entry.memory.id) != entry.memory
        and holds_at(entry.memory, now, {})
        and entry.memory.status is Status.ACCEPTED
    ]


def _find_conflicts(
    app: App, there: BranchMemories, holding: Sequence[Entry], here: Mapping[str, Memory]
) -> list[EntryRelation]:
    """Each pair of one memory there and one here that are in conflict; the newer words count as new."""
    look = RelationFinder(app)
    # Of a memory that both have, the words there count; what they took away goes with the merge.
    edited = {entry.memory.id: entry for entry in holding if entry.memory.id in here}
    changed = {entry.memory.id for entry in there.entries if here.get(entry.memory.id) != entry.memory}
    without = (changed - edited.keys()) | there.deleted
    found: dict[frozenset[str], EntryRelation] = {}
    for done, entry in enumerate(holding, 1):
        for each in _relate_entry(look, entry, edited):
            if each.relation.kind in SEVERITIES and each.old.memory.id not in without:
                pair = frozenset((entry.memory.id, each.old.memory.id))
                found.setdefault(pair, _reverse_relation(look, each) or each)
        if app.progress is not None:
            app.progress("branch", done, len(holding))
    order = list(SEVERITIES)
    return sorted(
        found.values(), key=lambda each: (order.index(each.relation.kind), -each.relation.sure, each.relation.new)
    )


def _relate_entry(look: RelationFinder, entry: Entry, edited: Mapping[str, Entry]) -> tuple[EntryRelation, ...]:
    """What a memory there is to those near it here, each as the branch has it where it was edited there."""
    near = look.at(entry)
    theirs = [edited[each.old.memory.id] for each in near if each.old.memory.id in edited]
    return look.at(entry, beside=theirs) if theirs else near


def _reverse_relation(look: RelationFinder, each: EntryRelation) -> EntryRelation | None:
    """The same pair the other way round, where the one here says that it takes the other's place."""
    back = (other for other in look.at(each.old, beside=(each.new,)) if other.old.memory.id == each.new.memory.id)
    return next((other for other in back if other.relation.kind is Kind.SUPERSEDES), None)


def _is_settled(each: EntryRelation, base: Mapping[str, Memory], here: Mapping[str, Memory]) -> bool:
    """Whether a link says which one takes the other's place, and the other was not changed here meanwhile."""
    old = each.old.memory
    return old.id in each.new.memory.supersedes and base.get(old.id, old) == here.get(old.id, old)


def _build_local_finding(app: App, pair: ConflictPair) -> Finding:
    old = pair.old.memory
    other = Other(id=old.id, title=old.title, text=pair.old_text, found_text=pair.new_text)
    return Finding(
        memory=pair.new.memory.id, severity=SEVERITIES[pair.kind], rule=str(pair.kind),
        reason=_reason(pair.kind, old, pair.reason), title=pair.new.memory.title, path=display_path(app, pair.new),
        line=pair.new.line, what=old.id, confidence=pair.sure, other=other,
    )  # fmt: skip


def _build_branch_finding(app: App, each: EntryRelation, revision: str, *, abroad: bool) -> Finding:
    """A pair of one memory here and one on a branch; `abroad`: the newer one is there."""
    relation, new, old = each.relation, each.new, each.old.memory
    other = Other(id=old.id, title=old.title, text=relation.old_text, found_text=relation.new_text, branch=revision)
    reason = _reason(relation.kind, old, relation.reason)
    return Finding(
        memory=new.memory.id, severity=SEVERITIES[relation.kind], rule=f"branch-{relation.kind}",
        reason=f"(on {revision}) {reason}" if abroad else f"{reason} (on {revision})", title=new.memory.title,
        path=display_path(app, new), line=new.line, what=old.id, confidence=relation.sure, other=other,
    )  # fmt: skip


def _reason(kind: Kind, old: Memory, reason: str) -> str:
    return f"{kind} {old.id} {old.title!r}: {reason}"
