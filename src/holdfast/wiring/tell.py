"""What a client is told at an event: the memory that matters there, once a session, inside a fence."""

import os
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from holdfast.capture.buffer import Session, recovered, to_keep, unconfirmed
from holdfast.capture.fence import fenced
from holdfast.domain.event import Event
from holdfast.domain.memory import Entry, MemoryType
from holdfast.domain.search import Question, Select
from holdfast.domain.value import Value
from holdfast.recall.pack import CHARACTERS_PER_TOKEN, Pack, packed
from holdfast.recall.relevance import relevant
from holdfast.recall.scope import applies_to
from holdfast.recall.search import select
from holdfast.redact import values as redact
from holdfast.wiring.app import App
from holdfast.wiring.buffer import load, of, take_prompt
from holdfast.wiring.guarding import guarded
from holdfast.wiring.reach import for_agents

MOST_OF_A_KIND = 20
CUT = frozenset({"compact", "resume"})
PATH_FIELDS = ("file_path", "path", "notebook_path", "filePath", "absolute_path")


class Telling(Value):
    """What a client is told; with an action (`ask`, `block`), the text is the reason for it."""

    text: str = ""
    action: str = ""


def tell(workspace: str, event: Mapping[str, Any], event_id: str, limit: int) -> Telling:
    """The text for an event, or nothing; what was told is noted, with its tokens."""
    app = App(workspace)
    session = str(event["session"])
    verdict = guarded(app, event, event_id) if event["name"] == "before_tool" else None
    if verdict and verdict.action in {"ask", "block"}:
        return Telling(text=f"Holdfast's guard ({verdict.rule}): {verdict.reason}", action=verdict.action)
    sessions = _buffered(app, event, event_id)
    if event["name"] == "before_compact":
        return Telling(text=to_keep(of(sessions, session) or Session(id=session))[:limit])
    told = Told(app.folder, session)
    if event["name"] == "session_start":
        told.forget()
    pack = chosen(app, event, told.ids())
    warning = f"GUARD ({verdict.rule}): {verdict.reason}" if verdict and verdict.action == "warn" else ""
    text = fenced("\n\n".join(filter(None, [warning, *_said(app, event, sessions), pack.to_prompt()])), limit)
    if not text:
        return Telling()
    told.add(pack.ids())
    data = {"ids": list(pack.ids()), "tokens": len(text) // CHARACTERS_PER_TOKEN, "for": event_id, "at": event["name"]}
    app.journal.append([Event(client="holdfast", session=session, name="injected", data=data)])
    return Telling(text=text)


def _buffered(app: App, event: Mapping[str, Any], event_id: str) -> list[Session]:
    """The buffer, after what this event says: it stands there before the agent goes on."""
    if event["name"] == "prompt":
        cleaned = redact.clean(str(event["data"].get("prompt", ""))).value
        return take_prompt(app, str(event["session"]), str(event["client"]), str(cleaned), event_id)
    return load(app) if event["name"] in {"session_start", "before_compact", "subagent_start"} else []


def _said(app: App, event: Mapping[str, Any], sessions: list[Session]) -> list[str]:
    """What the user said: of this session when its context was cut, of others when it begins."""
    if event["name"] != "session_start":
        return []
    mine = of(sessions, str(event["session"]))
    others = [session for session in sessions if session.id != event["session"]]
    said = [recovered(mine)] if mine and event["data"].get("source") in CUT else []
    return [*said, unconfirmed(others)] if app.settings["packs.unconfirmed"] else said


def chosen(app: App, event: Mapping[str, Any], told: frozenset[str]) -> Pack:
    """What matters at an event and was not told before."""
    found = [pair for pair in candidates(app, event) if pair[0].memory.id not in told]
    allowed = {id(entry) for entry in for_agents(app, [entry for entry, _ in found])}
    return packed([pair for pair in found if id(pair[0]) in allowed], int(app.settings["packs.budget_tokens"]))


def candidates(app: App, event: Mapping[str, Any]) -> list[tuple[Entry, str]]:
    """The entries that an event calls for, best first, each with the reason."""
    data = event["data"]
    match event["name"]:
        case "prompt":
            return list(relevant(str(data.get("prompt", "")), app.index))
        case "before_tool":
            return [(entry, "holds for this path") for entry in _at_paths(app, _paths(app, data.get("input")))]
        case "session_start" | "subagent_start":
            return [(entry, "holds in the whole workspace") for entry in _everywhere(app)]
        case _:
            return []


class Told:
    """Which memories a session was told already: nothing is said twice, unless the context was lost."""

    def __init__(self, folder: str, session: str) -> None:
        name = blake2b(session.encode("utf-8", "replace"), digest_size=8).hexdigest()
        self._path = os.path.join(folder, "state", "told", name)

    def ids(self) -> frozenset[str]:
        """The ids told so far."""
        try:
            with open(self._path, encoding="utf-8") as file:
                return frozenset(file.read().split())
        except OSError:
            return frozenset()

    def add(self, ids: Iterable[str]) -> None:
        """Note what was told."""
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write("".join(f"{each}\n" for each in ids))

    def forget(self) -> None:
        """A new context knows nothing of what was told."""
        if os.path.exists(self._path):
            os.unlink(self._path)


def _everywhere(app: App) -> list[Entry]:
    """What holds in the whole workspace, newest first: invariants, then decisions, then dead ends."""
    found: list[Entry] = []
    for kind in (MemoryType.INVARIANT, MemoryType.DECISION, MemoryType.FAILURE):
        meant = Select(scoped=False, types=(kind,), newest=MOST_OF_A_KIND)
        found += sorted(_valid(app, meant), key=lambda e: e.memory.updated, reverse=True)
    return found


def _at_paths(app: App, paths: list[str]) -> list[Entry]:
    if not paths:
        return []
    found = [e for e in _valid(app, Select(scoped=True)) if any(applies_to(e.memory.paths, path) for path in paths)]
    order = {MemoryType.INVARIANT: 0, MemoryType.FAILURE: 1, MemoryType.DECISION: 2}
    return sorted(found, key=lambda e: order.get(e.memory.type, 3))


def _valid(app: App, meant: Select) -> list[Entry]:
    return select(Question(text="", select=meant), app.index)


def _paths(app: App, given: object) -> list[str]:
    """The paths of the workspace that a tool is about to touch."""
    if not isinstance(given, Mapping):
        return []
    named = [str(given[field]) for field in PATH_FIELDS if isinstance(given.get(field), str)]
    inside = [os.path.relpath(os.path.join(app.workspace, path), app.workspace) for path in named]
    return [path.replace(os.sep, "/") for path in inside if not path.startswith("..")]
