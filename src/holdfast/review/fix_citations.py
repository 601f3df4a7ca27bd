"""Citations fixed by a person: moved code written down again, changed code taken as it is, gone code dropped."""

from collections.abc import Sequence

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Citation, Memory
from holdfast.core.value import Value, replace
from holdfast.index.entries import find_entry
from holdfast.recall.citations.citation import lines_of, make_citation, span_of
from holdfast.recall.citations.citation_status import CitedMemory, check_citations, locate_cited_code
from holdfast.recall.citations.drift import CitationDrift, CitationState
from holdfast.recall.citations.stale_citations import NotLookedAt, read_cited_file
from holdfast.review.batches import open_batch
from holdfast.trust.presence import prove_person
from holdfast.vault.entry_json import now
from holdfast.workspace import App


class NothingToFix(BadRequest):
    """Nothing to accept or drop."""

    def __init__(self, memory_id: str, what: str, hint: str) -> None:
        super().__init__(f"{memory_id!r} cites no code that {what}.", hint)


class FixedCitation(Value):
    """A citation before and after; `after` is None where it was taken out."""

    id: str
    before: Citation
    after: Citation | None


def fix_citations(app: App, ids: Sequence[str] = ()) -> list[FixedCitation]:
    """Write down where moved code stands now: one batch, which `undo` takes back."""
    prove_person(app, f"show --cites {' '.join([*ids, '--fix'])}")
    return _rewrite_citations(app, check_citations(app, ids), (CitationState.MOVED,), "cites --fix")


def accept_changed_code(app: App, ids: Sequence[str]) -> list[FixedCitation]:
    """Take cited code as it stands now: a person looked, and the memory still holds."""
    prove_person(app, f"show --cites {' '.join([*ids, '--accept'])}")
    found = locate_cited_code(app, [find_entry(app, wanted) for wanted in ids])
    for each in found:
        if not any(_cite_current_code(app, drift) for drift in each.drifts if drift.state is not CitationState.INTACT):
            hint = "code that is gone: `holdfast show ID --cites --drop`, or `holdfast edit ID`."
            raise NothingToFix(each.entry.memory.id, "changed or moved and can be found", hint)
    return _rewrite_citations(
        app, found, (CitationState.MOVED, CitationState.CHANGED, CitationState.UNREADABLE), "cites --accept"
    )


def drop_citations(app: App, ids: Sequence[str]) -> list[FixedCitation]:
    """Take citations of code that is gone out of their memories."""
    prove_person(app, f"show --cites {' '.join([*ids, '--drop'])}")
    found = locate_cited_code(app, [find_entry(app, wanted) for wanted in ids])
    for each in found:
        if not any(drift.state is CitationState.MISSING for drift in each.drifts):
            raise NothingToFix(
                each.entry.memory.id, "is gone", "`holdfast show ID --cites` shows how each citation stands."
            )
    return _rewrite_citations(app, found, (CitationState.MISSING,), "cites --drop")


def _rewrite_citations(
    app: App, found: Sequence[CitedMemory], states: Sequence[CitationState], verb: str
) -> list[FixedCitation]:
    done: list[FixedCitation] = []
    with open_batch(app, verb) as made_now:
        for each in found:
            mended = [_mend_citation(app, each.entry.memory, drift) for drift in each.drifts if drift.state in states]
            kept = [one for one in mended if one is not None]
            if kept:
                made_now.rewrite(each.entry, _apply_mended(app, each.entry.memory, kept))
                done += kept
    return done


def _mend_citation(app: App, memory: Memory, drift: CitationDrift) -> FixedCitation | None:
    if drift.state is CitationState.MISSING:
        return FixedCitation(id=memory.id, before=drift.citation, after=None)
    after = _cite_current_code(app, drift)
    return FixedCitation(id=memory.id, before=drift.citation, after=after) if after else None


def _apply_mended(app: App, memory: Memory, mended: Sequence[FixedCitation]) -> Memory:
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
    if content is None or drift.state is CitationState.MISSING:
        return None
    span = span_of(lines) if cite.lines else None
    if cite.lines and (span is None or span.end > len(lines_of(content))):
        return None
    return make_citation(path, content, span)
