"""One subject, one truth: for each subject the memory that holds, and what it replaced over time."""

import time
from collections.abc import Iterable, Sequence

from holdfast.conflicts.read_memory import read_memory
from holdfast.conflicts.relate import FLAGGED, relate_readings
from holdfast.conflicts.subject import WITH_SUBJECT, subject_key, subject_of
from holdfast.core.memory import Entry, Status
from holdfast.core.relation import ASKING
from holdfast.core.search import Question, Select
from holdfast.core.value import Value
from holdfast.recall.select import wanted_filter
from holdfast.trust.allow import filter_visible
from holdfast.workspace import App

SECONDS = 0.6
ONCE_HELD = (Status.ACCEPTED, Status.SUPERSEDED, Status.DEPRECATED)


class SubjectTruth(Value):
    """A subject: what holds on it now, the newest first, and what held before."""

    subject: str
    holds: tuple[Entry, ...]
    before: tuple[Entry, ...]


class DoubledSubject(Value):
    """Two memories that hold and say different things of one subject, with no word on why."""

    subject: str
    new: Entry
    old: Entry
    reason: str


class DoubledSubjects(Value):
    """Those that were found, and how many subjects with more than one memory were not looked at yet."""

    found: tuple[DoubledSubject, ...] = ()
    unseen: int = 0


def list_subjects(app: App) -> tuple[SubjectTruth, ...]:
    """Every subject of decisions, invariants and patterns, by name."""
    entries = app.index.select(Select(types=WITH_SUBJECT, statuses=ONCE_HELD))
    return group_subjects(app, filter_visible(app, entries))


def group_subjects(app: App, entries: Sequence[Entry]) -> tuple[SubjectTruth, ...]:
    """Memories by subject: the same words, or one in the other's place."""
    holds = wanted_filter(Question(text="", now=app.clock.now()), app.index)
    told = [entry for entry in entries if entry.memory.type in WITH_SUBJECT]
    found = (_truth(group, [holds(entry) for entry in group]) for group in _join(app, told))
    return tuple(sorted(found, key=lambda each: (not each.holds, each.subject.casefold())))


def find_doubled_subjects(app: App, entries: Sequence[Entry]) -> DoubledSubjects:
    """Subjects with two answers that hold, within moments; what was not looked at in that time is counted."""
    more = [each for each in group_subjects(app, filter_visible(app, entries)) if len(each.holds) > 1]
    found: list[DoubledSubject] = []
    begun = time.monotonic()
    for done, truth in enumerate(more):
        if time.monotonic() - begun > SECONDS:
            return DoubledSubjects(found=tuple(found), unseen=len(more) - done)
        found += _doubled(app, truth)
    return DoubledSubjects(found=tuple(found))


def _join(app: App, entries: Sequence[Entry]) -> Iterable[list[Entry]]:
    """Entries that belong together: by subject, and along what replaced what."""
    home: dict[str, str] = {}

    def root(name: str) -> str:
        while home.setdefault(name, name) != name:
            name = home[name]
        return name

    by_key: dict[frozenset[str], str] = {}
    for entry in entries:
        key = subject_key(subject_of(entry.memory))
        if key:
            home[root(entry.memory.id)] = root(by_key.setdefault(key, entry.memory.id))
    there = {entry.memory.id for entry in entries}
    for link in app.index.links()[0]:
        if {link.old, link.new} <= there:
            home[root(link.old)] = root(link.new)
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(root(entry.memory.id), []).append(entry)
    return groups.values()


def _truth(group: Sequence[Entry], holding: Sequence[bool]) -> SubjectTruth:
    newest = sorted(zip(group, holding, strict=True), key=lambda pair: _age(pair[0]), reverse=True)
    holds = tuple(entry for entry, now in newest if now)
    before = tuple(entry for entry, now in newest if not now)
    return SubjectTruth(subject=subject_of((holds or before)[0].memory), holds=holds, before=before)


def _doubled(app: App, truth: SubjectTruth) -> Iterable[DoubledSubject]:
    """Of what holds on one subject, each that says something else than a newer one."""
    reads = [read_memory(entry.memory) for entry in truth.holds]
    by_id = {entry.memory.id: entry for entry in truth.holds}
    # A subject of one word (`tests`) has room for many memories: there, likeness alone says nothing.
    precise = len(subject_key(truth.subject)) > 1
    for at, new in enumerate(reads[:-1]):
        for relation in relate_readings(new, reads[at + 1 :], now=app.clock.now()):
            if relation.kind in FLAGGED and (precise or relation.rule not in ASKING):
                yield DoubledSubject(
                    subject=truth.subject, new=by_id[relation.new], old=by_id[relation.old], reason=relation.reason
                )


def _age(entry: Entry) -> tuple[str, str, str]:
    return entry.memory.valid_from, entry.memory.updated, entry.memory.id
