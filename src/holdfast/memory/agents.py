"""What an agent may see and propose, for every entrance that speaks to one: MCP, the Claude API's memory tool."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from holdfast.backends.sqlite.index import SqliteIndex
from holdfast.capture.fence import CLOSE, NOTE, OPEN, fenced, inert
from holdfast.domain.errors import Conflict
from holdfast.domain.memory import Entry, RejectedOption, SaidBy
from holdfast.memory.allow import reachable, registered
from holdfast.memory.entries import NoSuchId, entries_with, is_candidate
from holdfast.memory.open import App, open_memory
from holdfast.memory.queue import NotACandidate, waiting
from holdfast.memory.relating import Related
from holdfast.memory.remember import Draft, propose
from holdfast.memory.review import Accepted, accept, reject
from holdfast.redact.values import clean

__all__ = [
    "CLOSE",
    "NOTE",
    "OPEN",
    "ChangedMeanwhile",
    "InConflict",
    "accept_for_user",
    "candidate_seen",
    "entries_seen",
    "fenced",
    "inert",
    "is_allowed",
    "let_go",
    "open_for_agent",
    "propose_words",
    "reject_for_user",
    "waiting_seen",
]

SOME_AGENT = "an agent"


class ChangedMeanwhile(Conflict):
    """A candidate that is not what the user was asked about any more."""

    def __init__(self, candidate_id: str) -> None:
        super().__init__(f"{candidate_id!r} changed while the user was asked about it.", "ask again.")


class InConflict(Conflict):
    """A candidate that contradicts what holds."""

    def __init__(self, candidate_id: str, conflicts: Sequence[Related]) -> None:
        first = conflicts[0].relation
        super().__init__(
            f"{candidate_id!r} contradicts {first.old!r}: {first.reason}.",
            f"the user resolves it in a terminal of their own: holdfast review, or holdfast accept {candidate_id} …",
        )


def open_for_agent(start: str, client: str = "", flags: Mapping[str, str] | None = None) -> App:
    """The app around a folder, as an agent sees it: whatever the environment says, this is not the person."""
    app = open_memory(start, flags, anywhere=True)
    app.client = app.client or client or SOME_AGENT
    return app


def let_go(app: App) -> None:
    """Close what an app holds open: a server opens one for every request, and may run for days."""
    index = app.__dict__.pop("index", None)
    if isinstance(index, SqliteIndex):
        index.close()


def is_allowed(app: App) -> bool:
    """Whether the user lets this workspace's memory reach agents. Their own memory always does."""
    known_as = registered(app)
    return not app.workspace or (known_as is not None and known_as.allowed)


def entries_seen(app: App, ids: Sequence[str]) -> list[Entry]:
    """The entries that some ids mean, as far as an agent may see them. Raises NoSuchId."""
    return reachable(app, [entry for wanted in ids for entry in entries_with(app, wanted)])


def waiting_seen(app: App) -> list[Entry]:
    """The candidates that wait, oldest first, as far as an agent may see them."""
    return sorted(waiting(app), key=lambda entry: (entry.memory.updated, entry.memory.id))


def candidate_seen(app: App, wanted: str) -> Entry:
    """One candidate that waits."""
    found = entries_seen(app, [wanted])
    if not found:
        raise NoSuchId(wanted)
    if not is_candidate(found[0]):
        raise NotACandidate(wanted)
    return found[0]


def propose_words(app: App, kind: str, text: str, words: Mapping[str, Any]) -> Entry:
    """Keep an agent's words as a candidate, without what must not reach the disk.

    `words` are JSON: a memory's fields, and `because`, `cites`, and `rejected` as `{"option", "reason"}`.
    """
    cleaned = clean({"text": text, "words": dict(words)})
    if secrets := sum(count for found, count in cleaned.found.items() if found not in {"own", "elided"}):
        app.notices.append(f"{secrets} secrets or private passages were left out.")
    value: Any = cleaned.value
    return propose(app, _draft(kind, value["text"], value["words"]), said_by=SaidBy.AGENT)


def _draft(kind: str, text: str, words: Mapping[str, Any]) -> Draft:
    fields = {name: value for name, value in words.items() if name not in {"because", "cites"} and _says(value)}
    if "rejected" in fields:
        fields["rejected"] = tuple(RejectedOption(**each) for each in fields["rejected"])
    return Draft(
        type=kind, text=text, because=words.get("because") or "", cites=tuple(words.get("cites") or ()), fields=fields
    )


def _says(value: object) -> bool:
    return value not in ("", [], {}, None)


def accept_for_user(app: App, asked: Entry) -> Accepted:
    """Accept a candidate that the user was shown and said yes to, if it still is what they were shown.

    Raises InConflict: how to resolve a contradiction is the person's to say, in a place of their own.
    """
    with _as_user(app, asked) as user:
        done = accept(user, [asked.memory.id])
        if done.blocked:
            raise InConflict(asked.memory.id, done.blocked[0].conflicts)
        return done.accepted[0]


def reject_for_user(app: App, asked: Entry, because: str = "") -> Entry:
    """Reject a candidate that the user was shown and said no to, if it still is what they were shown."""
    with _as_user(app, asked) as user:
        return reject(user, [asked.memory.id], because)[0]


@contextmanager
def _as_user(app: App, asked: Entry) -> Iterator[App]:
    """The same memory in the user's own hands, for what they just said."""
    if candidate_seen(app, asked.memory.id).sha256 != asked.sha256:
        raise ChangedMeanwhile(asked.memory.id)
    user = App(app.workspace, app.flags)
    user.client = ""
    user.notices = app.notices
    try:
        yield user
    finally:
        let_go(user)
        app.refresh()
