"""What goes with a decision: the rest of a group, when the candidate that leads it is accepted or rejected."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from holdfast.conflicts.rejected_twin import TAKEN_BACK_BY
from holdfast.core.memory import Entry, Evidence, Memory
from holdfast.core.value import replace
from holdfast.review.batches import Batch
from holdfast.review.lifecycle import reject_candidate
from holdfast.review.merge_memories import mark_merged_away
from holdfast.review.queue import list_waiting
from holdfast.review.queue_groups import QueueGroup, SettledCandidate, Settling, group_queue
from holdfast.review.remember import journal_entry_change
from holdfast.vault.entry_json import now
from holdfast.workspace import App

# What was said more often rests on so many of its places.
MOST_EVIDENCE = 12


def find_groups(app: App, leads: Iterable[Entry]) -> Mapping[str, QueueGroup]:
    """The groups that some candidates lead and that settle something else, by the one that leads.

    What is decided by its own name is settled by nothing else.
    """
    named = {entry.memory.id for entry in leads}
    found = {}
    for group in group_queue(list_waiting(app)) if named else ():
        others = tuple(each for each in group.settles if each.entry.memory.id not in named)
        if group.lead.memory.id in named and others:
            found[group.lead.memory.id] = replace(group, settles=others)
    return found


def gather_evidence(memory: Memory, group: QueueGroup | None) -> Memory:
    """A memory that rests on every place where it was said."""
    if group is None:
        return memory
    found: dict[Evidence, None] = dict.fromkeys(memory.evidence)
    for each in group.repeats:
        found |= dict.fromkeys(each.entry.memory.evidence)
    return replace(memory, evidence=tuple(found)[: max(MOST_EVIDENCE, len(memory.evidence))])


def settle_accepted(app: App, made: Batch, group: QueueGroup, memory_id: str) -> tuple[SettledCandidate, ...]:
    """Turn down what an accepted candidate repeats or takes back, each with the reason."""
    for each in group.settles:
        if each.how is Settling.REPEATS:
            gone = mark_merged_away(each.entry.memory, memory_id, now(app))
        else:
            gone = _take_back(each.entry.memory, memory_id, now(app))
        journal_entry_change(app, "candidate.rejected", made.rewrite(each.entry, gone))
    return group.settles


def list_repeats(groups: Mapping[str, QueueGroup], named: Collection[str]) -> Sequence[Entry]:
    """The candidates that say the same as some that are decided, and are not named themselves."""
    repeats = (each.entry for group in groups.values() for each in group.repeats)
    return [entry for entry in repeats if entry.memory.id not in named]


def _take_back(candidate: Memory, by: str, when: str) -> Memory:
    gone = reject_candidate(candidate, f"taken back by {by}, which was said later", when)
    return replace(gone, extra={**gone.extra, TAKEN_BACK_BY: by})
