"""Candidates: waiting, accepted, rejected."""

import os
from collections.abc import Sequence
from hashlib import sha256

from holdfast.curate.lifecycle import apply_accept, plan_accept, rejected
from holdfast.curate.overview import edit_of, edited
from holdfast.domain.errors import NotFound
from holdfast.domain.memory import Entry, Scope, Status
from holdfast.domain.search import Select
from holdfast.domain.value import Value, replace
from holdfast.memory.allow import learn, reachable
from holdfast.memory.entries import CANDIDATES, entry_with, from_index, is_candidate, to_index
from holdfast.memory.forms import now
from holdfast.memory.open import need_person
from holdfast.memory.remember import note
from holdfast.vault.write import put_file
from holdfast.wiring.app import App
from holdfast.wiring.distilling import renew_page
from holdfast.wiring.reach import PAGE, read_page
from holdfast.wiring.rendering import renew_blocks


class NotACandidate(NotFound):
    """An id that is no candidate's."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"{wanted!r} is not a candidate.", "`holdfast candidates` lists them.")


class Accepted(Value):
    """A candidate and the memory it became."""

    candidate: str
    entry: Entry


def waiting(app: App, *, rejected_too: bool = False) -> list[Entry]:
    """What waits for review, by id."""
    statuses = (Status.CANDIDATE, Status.REJECTED) if rejected_too else (Status.CANDIDATE,)
    return reachable(app, [entry for entry in app.index.select(Select(statuses=statuses)) if is_candidate(entry)])


def accept(app: App, ids: Sequence[str], scope: str = "", *, again: bool = False) -> list[Accepted]:
    """Accept candidates. All are looked up before the first is written."""
    need_person(app, f"accept {' '.join(ids)}")
    found = [_candidate(app, wanted) for wanted in ids]
    target = app.vaults[Scope(scope) if scope else app.scope]
    everything = [from_index(entry) for entry in app.index.select(Select()) if not is_candidate(entry)]
    edits = [entry for entry in found if edit_of(entry.memory)]
    plans = [plan_accept(from_index(entry), everything, now(app), again=again) for entry in found if entry not in edits]
    done = [_edit_page(app, entry) for entry in edits]
    for plan in plans:
        entry = apply_accept(plan, target, app.candidates)
        learn(app, entry)
        note(app, "candidate.accepted", entry)
        done.append(Accepted(candidate=plan.candidate.memory.id, entry=to_index(entry)))
    app.refresh()
    renew_page(app)
    renew_blocks(app)
    return done


def _edit_page(app: App, candidate: Entry) -> Accepted:
    """Carry out an edit of the people's own page; no memory comes of it."""
    before = read_page(app)
    after = edited(before.decode("utf-8", "surrogateescape"), candidate.memory).encode("utf-8", "surrogateescape")
    put_file(os.path.join(app.folder, PAGE), after)
    page = replace(candidate, scope=app.scope, path=PAGE, line=1, sha256=sha256(after).hexdigest())
    learn(app, page, sha256(before).hexdigest())
    app.candidates.remove(from_index(candidate))
    note(app, "overview.edited", page)
    return Accepted(candidate=candidate.memory.id, entry=page)


def reject(app: App, ids: Sequence[str], because: str) -> list[Entry]:
    """Reject candidates; they are remembered, so that the same is not proposed again."""
    need_person(app, f"reject {' '.join(ids)}")
    found = [_candidate(app, wanted) for wanted in ids]
    done = []
    for entry in found:
        memory = rejected(entry.memory, because, now(app))
        changed = app.candidates.rewrite(from_index(entry), memory)
        note(app, "candidate.rejected", changed)
        done.append(to_index(changed, CANDIDATES))
    app.refresh()
    return done


def _candidate(app: App, wanted: str) -> Entry:
    entry = entry_with(app, wanted)
    if not is_candidate(entry):
        raise NotACandidate(wanted)
    return entry
