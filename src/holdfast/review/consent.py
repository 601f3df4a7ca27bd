"""What the user said yes or no to when a client asked them for an agent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from holdfast.core.errors import Conflict
from holdfast.core.memory import Entry
from holdfast.review.accept import AcceptedCandidate, accept, reject
from holdfast.review.agent_access import find_visible_candidate
from holdfast.review.relations import TOLD, EntryRelation, relations_of
from holdfast.workspace import App


class CandidateChangedMeanwhile(Conflict):
    """A candidate that is not what the user was asked about any more."""

    def __init__(self, candidate_id: str) -> None:
        super().__init__(f"{candidate_id!r} changed while the user was asked about it.", "ask again.")


class CandidateInConflict(Conflict):
    """A candidate that contradicts what holds."""

    def __init__(self, candidate_id: str, conflicts: Sequence[EntryRelation]) -> None:
        first = conflicts[0].relation
        super().__init__(
            f"{candidate_id!r} contradicts {first.old!r}: {first.reason}.",
            f"the user resolves it in a terminal of their own: holdfast review, or holdfast accept {candidate_id} …",
        )


def find_conflicts_of(app: App, candidate: Entry) -> tuple[EntryRelation, ...]:
    """What the user should see beside a candidate: what it contradicts, replaces or repeats."""
    return tuple(each for each in relations_of(app, candidate) if each.relation.kind in TOLD)


def accept_for_user(app: App, asked: Entry) -> AcceptedCandidate:
    """Accept a candidate that the user was shown and said yes to, if it still is what they were shown.

    Raises InConflict: how to resolve a contradiction is the person's to say, in a place of their own.
    """
    with _open_as_user(app, asked) as user:
        done = accept(user, [asked.memory.id])
        if done.blocked:
            raise CandidateInConflict(asked.memory.id, done.blocked[0].conflicts)
        return done.accepted[0]


def reject_for_user(app: App, asked: Entry, because: str = "") -> Entry:
    """Reject a candidate that the user was shown and said no to, if it still is what they were shown."""
    with _open_as_user(app, asked) as user:
        return reject(user, [asked.memory.id], because)[0]


@contextmanager
def _open_as_user(app: App, asked: Entry) -> Iterator[App]:
    """The same memory in the user's own hands, for what they just said."""
    if find_visible_candidate(app, asked.memory.id).sha256 != asked.sha256:
        raise CandidateChangedMeanwhile(asked.memory.id)
    user = app.open_other(app.workspace)
    user.client = ""
    user.notices = app.notices
    try:
        yield user
    finally:
        user.close()
        app.refresh()
