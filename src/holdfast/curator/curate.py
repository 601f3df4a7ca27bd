"""Curate: what in memory wants care, the plans to fix it, and applying them as one batch that `undo` takes back."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.conflicts.comparable_words import weight_likeness
from holdfast.conflicts.read_memory import MemoryReading, texts_for_nearness
from holdfast.core.errors import BadRequest, Conflict, NotFound
from holdfast.core.home import read_environment
from holdfast.core.memory import Citation, Entry, MemoryType, SaidBy, Scope, Status
from holdfast.core.memory_json import to_json
from holdfast.core.model_port import NoModel
from holdfast.core.search import Select
from holdfast.core.value import Value, as_dict, replace
from holdfast.curator.combine_plans import CombinedPlan, SkippedFinding, combine_findings
from holdfast.curator.curator_finding import (
    Change,
    CurationFinding,
    FindingKind,
    FixPlan,
    MemoryCreation,
    MemoryRewrite,
    assign_finding_ids,
)
from holdfast.curator.curator_input import CodeDrift, CurationLimits, CuratorInput
from holdfast.curator.find_clusters import (
    CONSOLIDATE,
    Write,
    as_candidate,
    find_clusters,
    plan_consolidation,
    write_by_rules,
)
from holdfast.curator.find_ended import find_deprecations
from holdfast.curator.find_pairs import find_conflicts, find_copies, find_duplicates
from holdfast.curator.find_stale import find_stale
from holdfast.curator.find_unsupported import find_missing_evidence, find_orphans, find_too_long
from holdfast.curator.gather_input import ComparedMemories, compare_memories, gather_input, open_writer
from holdfast.curator.health_score import HealthPart, VaultHealth, score_health
from holdfast.curator.last_findings import (
    LastCuration,
    drop_findings,
    find_memories_of,
    read_dismissed,
    read_last_curation,
    save_curation,
)
from holdfast.curator.model_writer import ModelWriter
from holdfast.curator.plan_changes_of import format_time
from holdfast.curator.schedule import CRON, SYSTEMD, render_schedule
from holdfast.index.entries import CANDIDATES, is_candidate, to_index_entry, to_vault_entry, vault_of
from holdfast.recall.citations.citation import lines_of, make_citation, span_of
from holdfast.recall.citations.citation_status import CitationState, locate_cited_code
from holdfast.recall.citations.drift import CitationDrift as Drifted
from holdfast.recall.citations.stale_citations import NotLookedAt, read_cited_file
from holdfast.recall.find import notice_unread
from holdfast.review.batches import Batch, open_batch
from holdfast.review.lifecycle import content_digest
from holdfast.review.relations import NoModelJudge
from holdfast.review.remember import journal_entry_change
from holdfast.trust.allow import filter_visible
from holdfast.trust.presence import prove_person
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App, NoWorkspace, need_person

__all__ = [
    "CRON",
    "SURE",
    "SYSTEMD",
    "AppliedCuration",
    "Change",
    "CurationFinding",
    "CurationProposal",
    "CurationReport",
    "CurationRequest",
    "FindingKind",
    "FixPlan",
    "HealthPart",
    "LastCuration",
    "MemoryCreation",
    "MemoryRewrite",
    "SkippedFinding",
    "VaultHealth",
    "apply_findings",
    "choose_findings",
    "choose_sure_findings",
    "curate",
    "curate_again",
    "curation_json",
    "dismiss_findings",
    "fields_of",
    "propose_findings",
    "read_last_curation",
    "render_curate_schedule",
]

# From here on a plan is taken by --apply-all without being named.
SURE = 0.8
# Two learnings are of one subject where so much of what they say is near, or the same words.
# A tag that both have speaks for it.
CLOSE, ALIKE, TAGGED = 0.5, 0.4, 0.7
HOME = "HOLDFAST_HOME"
SHOWN_JSON = 1000
BY_PAIRS = (FindingKind.CONFLICTS, FindingKind.DUPLICATES, FindingKind.CONSOLIDATIONS, FindingKind.DEPRECATIONS)


class NoSuchFinding(NotFound):
    """An id that no finding has, or has no longer."""

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"There is no finding {wanted!r} now.",
            "findings change with their memories; look again: holdfast curate",
        )


class FindingNeedsChoice(BadRequest):
    """A finding that a person must decide."""

    def __init__(self, found: CurationFinding, wanted: str = "") -> None:
        ways = " or ".join(f"{found.id}={way.name}" for way in found.ways)
        said = f"{found.id} has no way {wanted!r}." if wanted else f"{found.id} can be fixed in more than one way."
        if not found.ways:
            said = f"No plan fixes {found.id}: it wants words of yours."
        hint = f"name one: holdfast curate --apply {ways}" if ways else f"type: {found.hints[0]}" if found.hints else ""
        super().__init__(said, hint)


class CurationOutdated(Conflict):
    """A file is not as it was when the plan was made."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} changed since the plan was made.", "nothing was written; run it again.")


class CurationRequest(Value):
    """What to look at: kinds (empty: all), memories changed since a time, a scope; whether a model helps to write.

    `among`: only these memories are compared with each other.
    """

    kinds: tuple[FindingKind, ...] = ()
    since: str = ""
    scope: str = ""
    model: bool = False
    among: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Whether all is looked at: only then there is a score."""
        return not self.kinds and not self.since and not self.among


ALL = CurationRequest()


class CurationReport(Value):
    """What was found, the gravest first. `entries`: the memories and candidates by id. `health`: None for a part."""

    findings: tuple[CurationFinding, ...]
    health: VaultHealth | None
    memories: int
    entries: Mapping[str, Entry]
    scope: Scope
    dismissed: int = 0
    care: CurationRequest = ALL


class AppliedCuration(Value):
    """The findings that were carried out, those left and why, and the ids that were written."""

    done: tuple[CurationFinding, ...]
    left: tuple[SkippedFinding, ...]
    ids: tuple[str, ...]


class CurationProposal(Value):
    """What a scheduled look left for a person: new candidates, and findings to look at."""

    candidates: tuple[Entry, ...]
    curation: CurationReport


def curate(app: App, care: CurationRequest = ALL) -> CurationReport:
    """Look at memory. Nothing is changed."""
    scope = _scope(app, care.scope)
    accepted, waiting, turned_down = _entries(app, scope)
    limits = CurationLimits(
        age=float(app.settings["curate.age"]), longest_tokens=int(app.settings["curate.longest_tokens"]),
        candidate_weeks=int(app.settings["curate.candidate_weeks"]),
    )  # fmt: skip
    world = gather_input(app, accepted, waiting, limits, _drift(app, accepted))
    changed = _changed_since(world, care.since)
    found = _find_findings(app, world, care, changed)
    by_id = {entry.memory.id: entry for entry in (*waiting, *accepted)}
    findings = assign_finding_ids(found, {name: entry.memory for name, entry in by_id.items()})
    kept = [_add_candidate(each, waiting) for each in findings if not _was_turned_down(each, turned_down)]
    aside = read_dismissed(app)
    left = [each for each in kept if each.id not in aside]
    notice_unread(app)
    result = CurationReport(
        findings=tuple(sorted(left, key=_order)), memories=len(world.memories), entries=by_id, scope=scope, care=care,
        health=score_health(left, len(world.memories)) if care.whole else None, dismissed=len(kept) - len(left),
    )  # fmt: skip
    # An agent may see less than there is.
    if care.whole and not care.scope and not app.client:
        save_curation(app, result.findings, len(world.memories), result.health.score if result.health else None)
    return result


def _scope(app: App, asked: str) -> Scope:
    scope = Scope(asked) if asked else app.scope
    if scope is Scope.WORKSPACE and not app.workspace:
        raise NoWorkspace(os.getcwd())
    return scope


def _entries(app: App, scope: Scope) -> tuple[list[Entry], list[Entry], list[Entry]]:
    """Accepted memories of a scope, candidates that wait, and rejected ones. An id that is given twice is no one's."""
    found = filter_visible(app, app.index.select(Select(scopes=(scope,))))
    times: dict[str, int] = {}
    for entry in found:
        times[entry.memory.id] = times.get(entry.memory.id, 0) + 1
    twice = sorted(name for name, count in times.items() if count > 1)
    if twice:
        app.notices.append(f"{', '.join(twice[:4])} stands in more than one place: `holdfast doctor --fix` first.")
    once = [entry for entry in found if times[entry.memory.id] == 1]
    accepted = [entry for entry in once if not is_candidate(entry) and entry.memory.status is Status.ACCEPTED]
    asked = [entry for entry in once if is_candidate(entry)]
    waiting = [entry for entry in asked if entry.memory.status is Status.CANDIDATE]
    return accepted, waiting, [entry for entry in asked if entry.memory.status is Status.REJECTED]


def _drift(app: App, entries: Sequence[Entry]) -> dict[str, tuple[CodeDrift, ...]]:
    """What of cited code changed or is gone. What cannot be looked at is not called changed."""
    citing = [entry for entry in entries if entry.memory.cites]
    found = {}
    for cited in locate_cited_code(app, citing):
        drifts = tuple(
            CodeDrift(
                cite=each.citation, missing=each.state is CitationState.MISSING, fresh=_refresh_citation(app, each)
            )
            for each in cited.drifts
            if each.state in (CitationState.CHANGED, CitationState.MISSING)
        )
        if drifts:
            found[cited.entry.memory.id] = drifts
    return found


def _refresh_citation(app: App, drift: Drifted) -> Citation | None:
    """The citation of changed code as it stands now; as it was where that cannot be told; None of what is gone."""
    if drift.state is CitationState.MISSING:
        return None
    cite = drift.citation
    span = span_of(drift.lines or cite.lines) if cite.lines else None
    try:
        content = read_cited_file(app.workspace, drift.path or cite.path)
    except NotLookedAt:
        return cite
    if content is None or (cite.lines and (span is None or span.end > len(lines_of(content)))):
        return cite
    return make_citation(drift.path or cite.path, content, span)


def _changed_since(world: CuratorInput, since: str) -> frozenset[str] | None:
    if not since:
        return None
    begin = parse_moment(since)
    if begin is None:
        raise BadRequest(f"--since takes a date like 2026-11-15, not {since!r}.")
    every = (*world.memories, *world.candidates)
    return frozenset(
        each.id for each in every if (parse_moment(each.updated) or parse_moment(each.valid_from) or begin) >= begin
    )


def _find_findings(
    app: App, world: CuratorInput, care: CurationRequest, changed: frozenset[str] | None
) -> list[CurationFinding]:
    kinds = care.kinds or tuple(FindingKind)
    writer = _open_model_writer(app) if care.model else None
    found: list[CurationFinding] = []
    if set(kinds) & set(BY_PAIRS):
        held = [memory for memory in world.holding if not care.among or memory.id in care.among]
        near = replace(world, holding=tuple(held))
        found += _find_by_pairs(app, near, changed, kinds, writer.write if writer else write_by_rules)
    # What is to be merged into another needs no care of its own.
    going = {name for each in found if each.kind is FindingKind.DUPLICATES for name in each.ids[1:]}
    alone = [*find_stale(world), *find_missing_evidence(world)]
    found += [each for each in alone if each.ids[0] not in going]
    found += [*find_deprecations(world), *find_orphans(world)]
    if FindingKind.OVER_LONG in kinds:
        found += [_shorten_memory(each, world, writer) for each in find_too_long(world)]
    if writer and writer.problem:
        app.notices.append(writer.problem)
    return [each for each in found if each.kind in kinds and (changed is None or changed & set(each.ids))]


def _find_by_pairs(
    app: App, world: CuratorInput, changed: frozenset[str] | None, kinds: Sequence[FindingKind], write: Write
) -> list[CurationFinding]:
    """What memories are to each other. Copies are compared once, so that a thousand of them cost as much as one."""
    groups = find_copies(world.holding)
    touched = None if changed is None else frozenset(g[0].id for g in groups if any(m.id in changed for m in g))
    seen = compare_memories(app, [group[0] for group in groups], touched)
    by_id = {memory.id: memory for memory in world.holding}
    same = list(find_duplicates(groups, seen.relations, by_id, world))
    found = [*find_conflicts(seen.relations, by_id, world), *same]
    if FindingKind.CONSOLIDATIONS in kinds:
        busy = {
            name for each in found if each.kind in (FindingKind.CONFLICTS, FindingKind.DUPLICATES) for name in each.ids
        }
        busy -= {each.ids[0] for each in same}
        found += _find_consolidations(world, seen, busy, write)
    return found


def _find_consolidations(
    world: CuratorInput, seen: ComparedMemories, busy: set[str], write: Write
) -> list[CurationFinding]:
    """Groups of learnings that nothing else is wrong with."""

    def near(one: MemoryReading, other: MemoryReading) -> bool:
        cosine = seen.near(texts_for_nearness(one.memory)[0], texts_for_nearness(other.memory)[0]) or 0.0
        tagged = TAGGED if set(one.memory.tags) & set(other.memory.tags) else 1.0
        return cosine >= CLOSE * tagged or weight_likeness(one.head, other.head) >= ALIKE * tagged

    free = [each for each in seen.reads if each.memory.id not in busy and each.memory.type is MemoryType.LEARNING]
    groups = find_clusters(free, seen.compared_with, near, world.limits.longest_tokens)
    return [plan_consolidation(group, 0.6, world, write) for group in groups]


def _open_model_writer(app: App) -> ModelWriter:
    found = open_writer(app)
    if isinstance(found, NoModel):
        raise NoModelJudge(found)
    return found


def _shorten_memory(found: CurationFinding, world: CuratorInput, writer: ModelWriter | None) -> CurationFinding:
    """An over-long memory with a shorter text, where a model writes one."""
    memory = next(each for each in world.holding if each.id == found.ids[0])
    text = writer.shorten(memory) if writer else None
    if text is None:
        return found
    body = "\n".join(f"- {fact}" for fact in text.facts)
    after = replace(memory, body=body, updated=format_time(world.now))
    way = FixPlan(
        name="shorten", about="the model's shorter text", changes=(MemoryRewrite(before=memory, after=after),)
    )
    return replace(found, ways=(way,))


def _was_turned_down(found: CurationFinding, rejected: Sequence[Entry]) -> bool:
    """Whether a person said no to this very consolidation."""
    return _find_proposed(found, rejected) is not None


def _add_candidate(found: CurationFinding, waiting: Sequence[Entry]) -> CurationFinding:
    """A consolidation that waits for review says so."""
    entry = _find_proposed(found, waiting)
    return replace(found, hints=(f"holdfast accept {entry.memory.id}",)) if entry else found


def _find_proposed(found: CurationFinding, candidates: Sequence[Entry]) -> Entry | None:
    way = found.way(CONSOLIDATE)
    if way is None or not isinstance(way.changes[0], MemoryCreation):
        return None
    said = content_digest(way.changes[0].memory)
    return next((entry for entry in candidates if content_digest(entry.memory) == said), None)


def _order(found: CurationFinding) -> tuple[int, float, tuple[str, ...]]:
    return list(FindingKind).index(found.kind), -found.sure, found.ids


# Applying


def curate_again(app: App, care: CurationRequest, wanted: Sequence[str]) -> CurationReport:
    """Look once more, for findings that were shown: only their memories are compared, where it is known which."""
    names = [each.partition("=")[0].strip().upper() for each in wanted]
    among = find_memories_of(app, names) if not care.since else frozenset()
    if among:
        found = curate(app, replace(care, among=among))
        if set(names) <= {each.id for each in found.findings}:
            return found
    return curate(app, care)


def choose_findings(curation: CurationReport, wanted: Sequence[str]) -> list[tuple[CurationFinding, FixPlan]]:
    """The findings that ids mean, each with its way: `F7K2MQ`, or `F7K2MQ=deprecate`. Raises for one that has none."""
    found = {}
    for each in wanted:
        name, _, way_name = each.partition("=")
        finding = _find_finding(curation, name)
        way = finding.way(way_name)
        if way is None:
            raise FindingNeedsChoice(finding, way_name)
        found[finding.id] = (finding, way)
    return list(found.values())


def choose_sure_findings(
    curation: CurationReport, least: float = SURE, way_name: str = ""
) -> tuple[list[tuple[CurationFinding, FixPlan]], tuple[SkippedFinding, ...]]:
    """Every finding whose plan is clear and sure enough, and why the others are left.

    With a way named, every finding that has this way: the person chose.
    """
    found, left = [], []
    for each in curation.findings:
        way = each.way(way_name)
        if way is None and way_name:
            left.append(SkippedFinding(finding=each, why=f"it has no way {way_name!r}"))
        elif way is None:
            left.append(SkippedFinding(finding=each, why="a person must choose" if each.ways else "no plan fixes it"))
        elif each.by_name:
            left.append(SkippedFinding(finding=each, why="it is applied by its id alone"))
        elif each.sure < least and not way_name:
            left.append(SkippedFinding(finding=each, why=f"{each.sure:.2f} sure, less than {least:g}"))
        else:
            found.append((each, way))
    return found, tuple(left)


def apply_findings(
    app: App,
    curation: CurationReport,
    plans: Sequence[tuple[CurationFinding, FixPlan]],
    left: Sequence[SkippedFinding] = (),
) -> AppliedCuration:
    """Carry out plans, as one batch. Nothing is written if a file is not as it was when they were made."""
    prove_person(app, f"curate --apply {' '.join(f'{found.id}={way.name}' for found, way in plans)}".rstrip())
    together = combine_findings(plans)
    _check_unmoved(app, curation, together)
    ids: list[str] = []
    with open_batch(app, "curate") as made_now:
        hand = _ChangeWriter(app, made_now, curation)
        for done, change in enumerate(together.changes, 1):
            ids.append(hand.write(change))
            if app.progress is not None:
                app.progress("applying", done, len(together.changes))
    drop_findings(app, [each.id for each in together.done])
    return AppliedCuration(done=together.done, left=(*together.left, *left), ids=tuple(ids))


class _ChangeWriter:
    """Writes changes. A file that holds several entries is read again after each of them."""

    def __init__(self, app: App, made_now: Batch, curation: CurationReport) -> None:
        self._app, self._made, self._curation = app, made_now, curation
        self._touched: set[tuple[Scope, str]] = set()

    def write(self, change: Change) -> str:
        if isinstance(change, MemoryCreation):
            entry = self._made.create(change.memory, self._curation.scope)
            journal_entry_change(self._app, "memory.added", entry)
            return entry.memory.id
        before = self._curation.entries[change.before.id]
        held = self._again(before) if (before.scope, before.path) in self._touched else before
        entry = self._made.rewrite(held, change.after)
        self._touched.add((entry.scope, entry.path))
        journal_entry_change(self._app, "candidate.rejected" if is_candidate(entry) else "memory.changed", entry)
        return entry.memory.id

    def _again(self, entry: Entry) -> Entry:
        file = vault_of(self._app, entry).read(to_vault_entry(entry).path)
        place = entry.path.partition("/")[0]
        return next(to_index_entry(e, place) for e in (file.entries if file else ()) if e.memory.id == entry.memory.id)


def _check_unmoved(app: App, curation: CurationReport, together: CombinedPlan) -> None:
    for change in together.changes:
        if isinstance(change, MemoryRewrite):
            entry = curation.entries[change.before.id]
            file = vault_of(app, entry).read(to_vault_entry(entry).path)
            if file is None or file.sha256 != entry.sha256:
                raise CurationOutdated(entry.path)


def _find_finding(curation: CurationReport, wanted: str) -> CurationFinding:
    name = wanted.strip().upper()
    found = [each for each in curation.findings if each.id == name]
    found = found or [each for each in curation.findings if len(name) > 2 and each.id.startswith(name)]
    if len(found) != 1:
        raise NoSuchFinding(wanted)
    return found[0]


def propose_findings(app: App, care: CurationRequest = ALL) -> CurationProposal:
    """Look, and leave what was found for a person: consolidations as candidates, the rest in `state/curate.json`."""
    curation = curate(app, care)
    there = app.index.select(Select(types=(MemoryType.LEARNING,)))
    known = {content_digest(entry.memory) for entry in there} | {entry.memory.id for entry in there}
    added = []
    for found in curation.findings:
        way = found.way(CONSOLIDATE)
        new = as_candidate(way.changes[0].memory) if way and isinstance(way.changes[0], MemoryCreation) else None
        if new is None or content_digest(new) in known or new.id in known or curation.scope is not app.scope:
            continue
        # What a model wrote is nobody's own words: agents are not told of it before a person accepts it.
        heard = replace(new, said_by=SaidBy.AGENT) if care.model and new.said_by is SaidBy.USER else new
        entry = app.candidates.add(heard)
        journal_entry_change(app, "candidate.added", entry)
        added.append(to_index_entry(entry, CANDIDATES))
    if added:
        app.refresh()
    return CurationProposal(candidates=tuple(added), curation=curation)


def dismiss_findings(app: App, curation: CurationReport, wanted: Sequence[str]) -> list[CurationFinding]:
    """Say of findings that they are fine as they are: they are not shown again until their memories change."""
    need_person(app, f"curate --dismiss {' '.join(wanted)}")
    found = [_find_finding(curation, each) for each in wanted]
    drop_findings(app, [each.id for each in found], for_good=True)
    return found


def render_curate_schedule(app: App, how: str, program: str) -> str:
    """What has `curate --propose` run every week here: text for cron or systemd, which a person installs."""
    kept = {name: value for name, value in read_environment().items() if name == HOME}
    return render_schedule(how, program, app.workspace or app.home, kept)


# For programs


def curation_json(curation: CurationReport, first: int = 0, most: int = SHOWN_JSON) -> dict[str, Any]:
    """A look for programs: score, parts, and some of the findings with their plans."""
    shown = curation.findings[first : first + most]
    return {
        "health": _health_json(curation.health),
        "memories": curation.memories,
        "counts": {kind: n for kind in FindingKind if (n := sum(1 for f in curation.findings if f.kind is kind))},
        "findings": [_finding_json(each, curation) for each in shown],
        "total": len(curation.findings),
        "more": max(0, len(curation.findings) - first - len(shown)),
        "dismissed": curation.dismissed,
    }


def _health_json(found: VaultHealth | None) -> dict[str, Any] | None:
    return {"score": found.score, "parts": [as_dict(part) for part in found.parts]} if found else None


def _finding_json(found: CurationFinding, curation: CurationReport) -> dict[str, Any]:
    return {
        "id": found.id, "kind": found.kind, "rule": found.rule, "ids": list(found.ids), "reason": found.reason,
        "sure": found.sure, "default": found.default or None, "hints": list(found.hints),
        "titles": {name: curation.entries[name].memory.title for name in found.ids if name in curation.entries},
        "ways": [
            {"name": way.name, "about": way.about, "changes": [_change_json(each) for each in way.changes]}
            for way in found.ways
        ],
    }  # fmt: skip


def _change_json(change: Change) -> dict[str, Any]:
    if isinstance(change, MemoryCreation):
        return {"create": to_json(change.memory)}
    fields = {name: [before, after] for name, (before, after) in fields_of(change).items()}
    return {"change": change.before.id, "fields": fields}


def fields_of(change: MemoryRewrite) -> dict[str, tuple[Any, Any]]:
    """What a change of a memory alters, by field, before and after."""
    before, after = to_json(change.before), to_json(change.after)
    return {n: (before.get(n), after.get(n)) for n in {**before, **after} if before.get(n) != after.get(n)}
