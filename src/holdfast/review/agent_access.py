"""What an agent may see and propose, for every entrance that speaks to one: MCP, the Claude API's memory tool."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.app import App, open_memory
from holdfast.core.fence import CLOSE, NOTE, OPEN, fenced, inert
from holdfast.core.memory import Entry, RejectedOption, SaidBy
from holdfast.index.entries import NoSuchId, entries_with, is_candidate
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.redact.clean import clean
from holdfast.review.queue import NotACandidate, waiting
from holdfast.review.remember import Draft, propose
from holdfast.trust.allow import reachable, registered

__all__ = [
    "CLOSE",
    "NOTE",
    "OPEN",
    "candidate_seen",
    "entries_seen",
    "fenced",
    "inert",
    "is_allowed",
    "let_go",
    "open_for_agent",
    "propose_words",
    "waiting_seen",
]

SOME_AGENT = "an agent"


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
