"""What a session was told and holds no more: said as a change, once, so that it is not followed any longer."""

from collections.abc import Sequence

from holdfast.core.fence import make_inert
from holdfast.core.memory import CANDIDATE_PREFIX, Entry, Status
from holdfast.core.search import Select
from holdfast.inject.select import Injection, InjectionRequest, filter_injectable
from holdfast.recall.packable import packable_filter
from holdfast.recall.state_memory import state_memory

HEADING = "CHANGED since this session was told"
MOST = 8
# Before an id in the list of what was told: its end was told too.
ENDED = "≠"


def describe_changes(asked: InjectionRequest, told: Sequence[str]) -> Injection:
    """A line for each of the memories told here that was replaced, rejected or taken away since, and not said yet."""
    fresh = [name for name in sorted(told) if f"{ENDED}{name}" not in asked.context.injected]
    store = asked.known.index
    there = {entry.memory.id: entry for entry in store.select(Select(ids=tuple(fresh)))}
    counts = packable_filter(store, asked.known.answers.user_candidates, asked.known.marks)
    ended = [name for name in fresh if name not in there or not counts(there[name])]
    if not ended:
        return Injection()
    newer = {link.old: link.new for link in store.links()[0]}
    successors = {entry.memory.id: entry for entry in _find_holding(asked, [newer[n] for n in ended if n in newer])}
    lines = [
        (name, line)
        for name in ended
        if (line := _describe(name, there.get(name), successors.get(newer.get(name, ""))))
    ][:MOST]
    if not lines:
        return Injection()
    names = [f"{ENDED}{name}" for name, _ in lines]
    text = "\n".join([HEADING, *(line for _, line in lines)])
    return Injection(text=make_inert(text), names=(*names, *(n for n in successors if n in text)))


def _find_holding(asked: InjectionRequest, ids: Sequence[str]) -> list[Entry]:
    if not ids:
        return []
    counts = packable_filter(asked.known.index, marks=asked.known.marks)
    found = [entry for entry in asked.known.index.select(Select(ids=tuple(ids))) if counts(entry)]
    return filter_injectable(asked, found)


def _describe(name: str, entry: Entry | None, successor: Entry | None) -> str:
    if successor is not None:
        return f"- {name} holds no more; instead: {state_memory(successor.memory)} [{successor.memory.id}]"
    if entry is None:
        # A candidate that is gone was accepted, and is told as the memory it became.
        return "" if name.startswith(CANDIDATE_PREFIX) else f"- {name} was taken out of memory: do not follow it"
    if entry.memory.status is Status.REJECTED:
        return f"- {name} was rejected by the user: do not follow it"
    return f"- {name} holds no more: do not follow it"
