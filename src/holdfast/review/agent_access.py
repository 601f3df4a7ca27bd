"""What an agent may see and propose, for every entrance that speaks to one: MCP, the Claude API's memory tool."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.app import open_memory
from holdfast.core.fence import CLOSE, NOTE, OPEN, fence_text, make_inert
from holdfast.core.memory import Entry, RejectedOption, SaidBy
from holdfast.index.entries import NoSuchId, find_entries, is_candidate
from holdfast.redact.clean import clean
from holdfast.review.queue import NotACandidate, list_waiting
from holdfast.review.remember import MemoryDraft, propose
from holdfast.trust.allow import filter_visible, find_registration
from holdfast.workspace import App

__all__ = [
    "CLOSE",
    "NOTE",
    "OPEN",
    "fence_text",
    "find_visible_candidate",
    "find_visible_entries",
    "is_allowed",
    "list_visible_candidates",
    "make_inert",
    "open_for_agent",
    "propose_words",
]

SOME_AGENT = "an agent"
_OF_DRAFT = frozenset({"because", "quote", "cites"})


def open_for_agent(start: str, client: str = "", flags: Mapping[str, str] | None = None) -> App:
    """The app around a folder, as an agent sees it: whatever the environment says, this is not the person."""
    app = open_memory(start, flags, anywhere=True)
    app.client = app.client or client or SOME_AGENT
    return app


def is_allowed(app: App) -> bool:
    """Whether the user lets this workspace's memory reach agents. Their own memory always does."""
    known_as = find_registration(app)
    return not app.workspace or (known_as is not None and known_as.allowed)


def find_visible_entries(app: App, ids: Sequence[str]) -> list[Entry]:
    """The entries that some ids mean, as far as an agent may see them. Raises NoSuchId."""
    return filter_visible(app, [entry for wanted in ids for entry in find_entries(app, wanted)])


def list_visible_candidates(app: App) -> list[Entry]:
    """The candidates that wait, oldest first, as far as an agent may see them."""
    return sorted(list_waiting(app), key=lambda entry: (entry.memory.updated, entry.memory.id))


def find_visible_candidate(app: App, wanted: str) -> Entry:
    """One candidate that waits."""
    found = find_visible_entries(app, [wanted])
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


def _draft(kind: str, text: str, words: Mapping[str, Any]) -> MemoryDraft:
    fields = {name: value for name, value in words.items() if name not in _OF_DRAFT and _has_words(value)}
    if "rejected" in fields:
        fields["rejected"] = tuple(RejectedOption(**each) for each in fields["rejected"])
    return MemoryDraft(
        type=kind, text=text, because=words.get("because") or "", quote=words.get("quote") or "",
        cites=tuple(words.get("cites") or ()), fields=fields,
    )  # fmt: skip


def _has_words(value: object) -> bool:
    return value not in ("", [], {}, None)
