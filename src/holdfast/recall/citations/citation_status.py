"""Citations: how cited code stands now, and what a person does about it."""

from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.app import need_person
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Citation, Entry, Memory, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.index.entries import find_entries, find_entry
from holdfast.recall.citations.citation import lines_of, make_citation, span_of
from holdfast.recall.citations.drift import DRIFTED, STALE, CitationDrift, CitationState
from holdfast.recall.citations.locate_code import locate_citations, locate_in_own_file, save_followed
from holdfast.recall.citations.stale_citations import NotLookedAt, read_cited_file
from holdfast.review.batches import open_batch
from holdfast.trust.allow import filter_visible
from holdfast.vault.entry_json import now
from holdfast.workspace import App

__all__ = [
    "DRIFTED", "STALE", "CitedMemory", "CitationDrift", "MendedCitation", "CitationState", "accept_changed_code", "check_citations", "drift_json", "drop_citations",
    "drop_marks", "fix_citations", "locate_cited_code", "locate_cited_code_near", "describe_drifts",
]  # fmt: skip

OWN = "it is your own memory's, of no workspace"


class NothingToMend(BadRequest):
    """Nothing to accept or drop."""

    def __init__(self, memory_id: str, what: str, hint: str) -> None:
        super().__init__(f"{memory_id!r} cites no code that {what}.", hint)


class CitedMemory(Value):
    """A memory and what became of each of its citations."""

    entry: Entry
    drifts: tuple[CitationDrift, ...]

    @property
    def has_drifted(self) -> bool:
        """Whether any of it is not where and as it was."""
        return any(drift.state in DRIFTED for drift in self.drifts)


class MendedCitation(Value):
    """A citation before and after; `after` is None where it was taken out."""

    id: str
    before: Citation
    after: Citation | None


def check_citations(app: App, ids: Sequence[str] = ()) -> list[CitedMemory]:
    """What became of cited code: of some memories, or of all that are accepted or wait for review."""
    if ids:
        entries = [entry for wanted in ids for entry in find_entries(app, wanted)]
    else:
        entries = list(app.index.select(Select(statuses=(Status.ACCEPTED, Status.CANDIDATE))))
    citing = filter_visible(app, [entry for entry in entries if entry.memory.cites])
    return locate_cited_code(app, sorted(citing, key=lambda entry: entry.memory.id))


def locate_cited_code(app: App, entries: Sequence[Entry]) -> list[CitedMemory]:
    """What became of the code that some entries cite, wherever in the workspace it went."""
    ours = [entry for entry in entries if _is_here(app, entry)]
    drifts = locate_citations(app.workspace, [citation for entry in ours for citation in entry.memory.cites])
    if drifts:
        save_followed(app.workspace, drifts)
    every = iter(drifts)
    found = {id(entry): tuple(next(every) for _ in entry.memory.cites) for entry in ours}
    return [CitedMemory(entry=entry, drifts=found.get(id(entry)) or _build_unseen_drifts(entry)) for entry in entries]


def locate_cited_code_near(app: App, entry: Entry) -> tuple[CitationDrift, ...]:
    """What became of the code that an entry cites, by the cited files alone: quick enough for every hit."""
    if not _is_here(app, entry):
        return _build_unseen_drifts(entry)
    return tuple(locate_in_own_file(app.workspace, citation) for citation in entry.memory.cites)


def describe_drifts(drifts: Iterable[CitationDrift]) -> str:
    """What a reader must know of cited code, in a few words; none where it stands."""
    states = {drift.state for drift in drifts}
    return next((words for state, words in STALE.items() if state in states), "")


def drift_json(drift: CitationDrift) -> dict[str, Any]:
    """A citation for programs: where it stood, its state, and where it stands now."""
    cite = drift.citation
    form: dict[str, Any] = {"path": cite.path, "lines": cite.lines, "sha256": cite.sha256}
    form |= ({"marks": cite.marks} if cite.marks else {}) | {"state": str(drift.state)}
    if drift.state in DRIFTED and drift.path:
        form["now"] = {"path": drift.path, "lines": drift.lines}
    if drift.of:
        form["kept"] = {"lines": drift.kept, "of": drift.of}
    return form | ({"why": drift.why} if drift.why else {})


def drop_marks(form: dict[str, Any]) -> dict[str, Any]:
    """A memory's JSON without the marks of its citations: they tell an agent nothing."""
    if "cites" not in form:
        return form
    return form | {"cites": [{k: v for k, v in each.items() if k != "marks"} for each in form["cites"]]}


def fix_citations(app: App, ids: Sequence[str] = ()) -> list[MendedCitation]:
    """Write down where moved code stands now: one batch, which `undo` takes back."""
    need_person(app, f"cites {' '.join([*ids, '--fix'])}")
    return _rewrite_citations(app, check_citations(app, ids), (CitationState.MOVED,), "cites --fix")


def accept_changed_code(app: App, ids: Sequence[str]) -> list[MendedCitation]:
    """Take cited code as it stands now: a person looked, and the memory still holds."""
    need_person(app, f"cites {' '.join([*ids, '--accept'])}")
    found = locate_cited_code(app, [find_entry(app, wanted) for wanted in ids])
    for each in found:
        if not any(_cite_current_code(app, drift) for drift in each.drifts if drift.state is not CitationState.INTACT):
            hint = "code that is gone: `holdfast cites ID --drop`, or `holdfast edit ID`."
            raise NothingToMend(each.entry.memory.id, "changed or moved and can be found", hint)
    return _rewrite_citations(
        app, found, (CitationState.MOVED, CitationState.CHANGED, CitationState.UNREADABLE), "cites --accept"
    )


def drop_citations(app: App, ids: Sequence[str]) -> list[MendedCitation]:
    """Take citations of code that is gone out of their memories."""
    need_person(app, f"cites {' '.join([*ids, '--drop'])}")
    found = locate_cited_code(app, [find_entry(app, wanted) for wanted in ids])
    for each in found:
        if not any(drift.state is CitationState.GONE for drift in each.drifts):
            raise NothingToMend(each.entry.memory.id, "is gone", "`holdfast cites ID` shows how each citation stands.")
    return _rewrite_citations(app, found, (CitationState.GONE,), "cites --drop")


def _rewrite_citations(
    app: App, found: Sequence[CitedMemory], states: Sequence[CitationState], verb: str
) -> list[MendedCitation]:
    done: list[MendedCitation] = []
    with open_batch(app, verb) as made_now:
        for each in found:
            mended = [_mend_citation(app, each.entry.memory, drift) for drift in each.drifts if drift.state in states]
            kept = [one for one in mended if one is not None]
            if kept:
                made_now.rewrite(each.entry, _apply_mended(app, each.entry.memory, kept))
                done += kept
    return done


def _mend_citation(app: App, memory: Memory, drift: CitationDrift) -> MendedCitation | None:
    if drift.state is CitationState.GONE:
        return MendedCitation(id=memory.id, before=drift.citation, after=None)
    after = _cite_current_code(app, drift)
    return MendedCitation(id=memory.id, before=drift.citation, after=after) if after else None


def _apply_mended(app: App, memory: Memory, mended: Sequence[MendedCitation]) -> Memory:
    after = {one.before: one.after for one in mended}
    held = (after.get(citation, citation) for citation in memory.cites)
    return replace(memory, cites=tuple(dict.fromkeys(each for each in held if each)), updated=now(app))


def _cite_current_code(app: App, drift: CitationDrift) -> Citation | None:
    """The citation of code as it stands now; None where there is none to be read."""
    cite = drift.citation
    path = drift.path or cite.path
    lines = drift.lines or cite.lines
    try:
        content = read_cited_file(app.workspace, path)
    except NotLookedAt:
        return None
    if content is None or drift.state is CitationState.GONE:
        return None
    span = span_of(lines) if cite.lines else None
    if cite.lines and (span is None or span.end > len(lines_of(content))):
        return None
    return make_citation(path, content, span)


def _is_here(app: App, entry: Entry) -> bool:
    return bool(app.workspace) and entry.scope is Scope.WORKSPACE


def _build_unseen_drifts(entry: Entry) -> tuple[CitationDrift, ...]:
    return tuple(
        CitationDrift(citation=citation, state=CitationState.UNREADABLE, why=OWN) for citation in entry.memory.cites
    )
