"""Citations: how cited code stands now, and what a person does about it."""

from collections.abc import Sequence
from typing import Any

from holdfast.core.memory import Entry, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.index.entries import find_entries
from holdfast.recall.citations.drift import DRIFTED, STALE, CitationDrift, CitationState
from holdfast.recall.citations.locate_code import locate_citations, save_moves
from holdfast.trust.allow import filter_visible
from holdfast.workspace import App

__all__ = [
    "DRIFTED", "STALE", "CitationDrift", "CitationState", "CitedMemory", "check_citations", "drift_json",
    "drop_marks", "locate_cited_code",
]  # fmt: skip

OWN = "it is your own memory's, of no workspace"


class CitedMemory(Value):
    """A memory and what became of each of its citations."""

    entry: Entry
    drifts: tuple[CitationDrift, ...]

    @property
    def has_drifted(self) -> bool:
        """Whether any of it is not where and as it was."""
        return any(drift.state in DRIFTED for drift in self.drifts)


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
        save_moves(app.base, drifts)
    every = iter(drifts)
    found = {id(entry): tuple(next(every) for _ in entry.memory.cites) for entry in ours}
    return [CitedMemory(entry=entry, drifts=found.get(id(entry)) or _build_unseen_drifts(entry)) for entry in entries]


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


def _is_here(app: App, entry: Entry) -> bool:
    return bool(app.workspace) and entry.scope is Scope.WORKSPACE


def _build_unseen_drifts(entry: Entry) -> tuple[CitationDrift, ...]:
    return tuple(
        CitationDrift(citation=citation, state=CitationState.UNREADABLE, why=OWN) for citation in entry.memory.cites
    )
