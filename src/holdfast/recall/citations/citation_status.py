"""Citations: how cited code stands now, and what a person does about it."""

from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.app import need_person
from holdfast.core.errors import BadRequest
from holdfast.core.memory import Citation, Entry, Memory, Scope, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.index.entries import entries_with, entry_with
from holdfast.recall.citations.citation import lines_of, made, span_of
from holdfast.recall.citations.drift import DRIFTED, STALE, Drift, State
from holdfast.recall.citations.locate_code import keep_followed, look, near
from holdfast.recall.citations.stale_citations import Unread, read
from holdfast.review.batches import batch
from holdfast.trust.allow import reachable
from holdfast.vault.entry_json import now
from holdfast.workspace import App

__all__ = [
    "DRIFTED", "STALE", "Cited", "Drift", "Mended", "State", "accept_change", "cites", "drift_json", "drop",
    "drop_marks", "fix", "looked", "looked_near", "mark_of",
]  # fmt: skip

OWN = "it is your own memory's, of no workspace"


class Nothing(BadRequest):
    """Nothing to accept or drop."""

    def __init__(self, memory_id: str, what: str, hint: str) -> None:
        super().__init__(f"{memory_id!r} cites no code that {what}.", hint)


class Cited(Value):
    """A memory and what became of each of its citations."""

    entry: Entry
    drifts: tuple[Drift, ...]

    @property
    def has_drifted(self) -> bool:
        """Whether any of it is not where and as it was."""
        return any(drift.state in DRIFTED for drift in self.drifts)


class Mended(Value):
    """A citation before and after; `after` is None where it was taken out."""

    id: str
    before: Citation
    after: Citation | None


def cites(app: App, ids: Sequence[str] = ()) -> list[Cited]:
    """What became of cited code: of some memories, or of all that are accepted or wait for review."""
    if ids:
        entries = [entry for wanted in ids for entry in entries_with(app, wanted)]
    else:
        entries = list(app.index.select(Select(statuses=(Status.ACCEPTED, Status.CANDIDATE))))
    citing = reachable(app, [entry for entry in entries if entry.memory.cites])
    return looked(app, sorted(citing, key=lambda entry: entry.memory.id))


def looked(app: App, entries: Sequence[Entry]) -> list[Cited]:
    """What became of the code that some entries cite, wherever in the workspace it went."""
    ours = [entry for entry in entries if _is_here(app, entry)]
    drifts = look(app.workspace, [citation for entry in ours for citation in entry.memory.cites])
    if drifts:
        keep_followed(app.workspace, drifts)
    every = iter(drifts)
    found = {id(entry): tuple(next(every) for _ in entry.memory.cites) for entry in ours}
    return [Cited(entry=entry, drifts=found.get(id(entry)) or _unseen(entry)) for entry in entries]


def looked_near(app: App, entry: Entry) -> tuple[Drift, ...]:
    """What became of the code that an entry cites, by the cited files alone: quick enough for every hit."""
    if not _is_here(app, entry):
        return _unseen(entry)
    return tuple(near(app.workspace, citation) for citation in entry.memory.cites)


def mark_of(drifts: Iterable[Drift]) -> str:
    """What a reader must know of cited code, in a few words; none where it stands."""
    states = {drift.state for drift in drifts}
    return next((words for state, words in STALE.items() if state in states), "")


def drift_json(drift: Drift) -> dict[str, Any]:
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


def fix(app: App, ids: Sequence[str] = ()) -> list[Mended]:
    """Write down where moved code stands now: one batch, which `undo` takes back."""
    need_person(app, f"cites {' '.join([*ids, '--fix'])}")
    return _rewritten(app, cites(app, ids), (State.MOVED,), "cites --fix")


def accept_change(app: App, ids: Sequence[str]) -> list[Mended]:
    """Take cited code as it stands now: a person looked, and the memory still holds."""
    need_person(app, f"cites {' '.join([*ids, '--accept'])}")
    found = looked(app, [entry_with(app, wanted) for wanted in ids])
    for each in found:
        if not any(_taken(app, drift) for drift in each.drifts if drift.state is not State.INTACT):
            hint = "code that is gone: `holdfast cites ID --drop`, or `holdfast edit ID`."
            raise Nothing(each.entry.memory.id, "changed or moved and can be found", hint)
    return _rewritten(app, found, (State.MOVED, State.CHANGED, State.UNREADABLE), "cites --accept")


def drop(app: App, ids: Sequence[str]) -> list[Mended]:
    """Take citations of code that is gone out of their memories."""
    need_person(app, f"cites {' '.join([*ids, '--drop'])}")
    found = looked(app, [entry_with(app, wanted) for wanted in ids])
    for each in found:
        if not any(drift.state is State.GONE for drift in each.drifts):
            raise Nothing(each.entry.memory.id, "is gone", "`holdfast cites ID` shows how each citation stands.")
    return _rewritten(app, found, (State.GONE,), "cites --drop")


def _rewritten(app: App, found: Sequence[Cited], states: Sequence[State], verb: str) -> list[Mended]:
    done: list[Mended] = []
    with batch(app, verb) as made_now:
        for each in found:
            mended = [_mended(app, each.entry.memory, drift) for drift in each.drifts if drift.state in states]
            kept = [one for one in mended if one is not None]
            if kept:
                made_now.rewrite(each.entry, _with(app, each.entry.memory, kept))
                done += kept
    return done


def _mended(app: App, memory: Memory, drift: Drift) -> Mended | None:
    if drift.state is State.GONE:
        return Mended(id=memory.id, before=drift.citation, after=None)
    after = _taken(app, drift)
    return Mended(id=memory.id, before=drift.citation, after=after) if after else None


def _with(app: App, memory: Memory, mended: Sequence[Mended]) -> Memory:
    after = {one.before: one.after for one in mended}
    held = (after.get(citation, citation) for citation in memory.cites)
    return replace(memory, cites=tuple(dict.fromkeys(each for each in held if each)), updated=now(app))


def _taken(app: App, drift: Drift) -> Citation | None:
    """The citation of code as it stands now; None where there is none to be read."""
    cite = drift.citation
    path = drift.path or cite.path
    lines = drift.lines or cite.lines
    try:
        content = read(app.workspace, path)
    except Unread:
        return None
    if content is None or drift.state is State.GONE:
        return None
    span = span_of(lines) if cite.lines else None
    if cite.lines and (span is None or span.end > len(lines_of(content))):
        return None
    return made(path, content, span)


def _is_here(app: App, entry: Entry) -> bool:
    return bool(app.workspace) and entry.scope is Scope.WORKSPACE


def _unseen(entry: Entry) -> tuple[Drift, ...]:
    return tuple(Drift(citation=citation, state=State.UNREADABLE, why=OWN) for citation in entry.memory.cites)
