"""How many candidates agents may make: so many in a session, so many in an hour. What goes beyond is refused and told.

What was proposed is counted from the entries themselves, so that an agent that removes a file of ours counts anew at
most what it removed. What was refused stands in `state/refused.json`, for the person.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from holdfast.config.settings import GIVEN_BY_ANYBODY, SETTINGS
from holdfast.core.errors import Refused, Unavailable
from holdfast.core.home import read_environment
from holdfast.core.memory import PROPOSED_BY, Entry, Memory
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.system.folders import translate_os_errors
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.system.safe_write import hold_lock
from holdfast.workspace import App, find_calling_session

FILE = os.path.join("state", "refused.json")
LOCK = os.path.join("state", "propose.lock")
PATIENCE = 10.0
VERSION = 1
# In `extra`: the session of the agent that proposed it. Not `source`: that is a session which was distilled.
PROPOSED_IN = "proposed_in"
AN_HOUR = timedelta(hours=1)
FORMAT = "%Y-%m-%dT%H:%M:%SZ"


class TooManyProposals(Refused):
    """An agent that proposes more than a person would review."""

    def __init__(self, count: int, within: str, setting: str) -> None:
        super().__init__(
            f"Nothing was added: agents have proposed {count} candidates {within} already, and that is the limit.",
            f"stop proposing, and tell the user that `holdfast review` shows what waits; `{setting}` sets the limit.",
        )


class RefusedProposals(Value):
    """What was refused today: how many proposals, the last of which client, and when. `count` 0: none."""

    count: int = 0
    client: str = ""
    last: str = ""


def mark_proposal(app: App, memory: Memory) -> Memory:
    """What an agent proposes, with who proposed it and in which session."""
    session = find_calling_session(read_environment())
    marks = {PROPOSED_BY: app.client} | ({PROPOSED_IN: session} if session else {})
    return replace(memory, extra={**memory.extra, **marks})


@contextmanager
def limit_proposals(app: App, memory: Memory) -> Iterator[None]:
    """Room for one more candidate, for the time it takes to write it. Raises TooManyProposals."""
    if not app.client:
        yield
        return
    with _hold_turn(app):
        try:
            _require_room(app, memory)
        except TooManyProposals:
            _note_refusal(app)
            raise
        yield


def read_refused_proposals(app: App) -> RefusedProposals:
    """What was refused today."""
    found = read_json_cache(os.path.join(app.folder, FILE))
    if found.get("v") != VERSION or not str(found.get("last", "")).startswith(app.clock.now().strftime("%Y-%m-%d")):
        return RefusedProposals()
    try:
        return RefusedProposals(count=int(found["count"]), client=str(found["client"]), last=str(found["last"]))
    except (KeyError, TypeError, ValueError):
        return RefusedProposals()


def _require_room(app: App, memory: Memory) -> None:
    entries = app.index.select(Select())
    session, most = memory.extra.get(PROPOSED_IN), _read_limit(app, "propose.per_session")
    if session and most:
        _check_room(_made_in(entries, str(session)), most, "in this session", "propose.per_session")
    if most := _read_limit(app, "propose.per_hour"):
        since = (app.clock.now() - AN_HOUR).strftime(FORMAT)
        _check_room(_made_since(entries, since), most, "within the last hour", "propose.per_hour")


def _read_limit(app: App, key: str) -> int:
    """A limit as the user set it: what the agent itself gave to the command that it runs does not count."""
    own = app.settings.origins.get(key) not in GIVEN_BY_ANYBODY
    return int(app.settings[key] if own else SETTINGS[key].default)


def _check_room(count: int, most: int, within: str, setting: str) -> None:
    if count >= most:
        raise TooManyProposals(count, within, setting)


def _made_in(entries: Iterable[Entry], session: str) -> int:
    return sum(entry.memory.extra.get(PROPOSED_IN) == session for entry in entries)


def _made_since(entries: Iterable[Entry], since: str) -> int:
    return sum(PROPOSED_BY in entry.memory.extra and entry.memory.updated >= since for entry in entries)


def _note_refusal(app: App) -> None:
    known = read_refused_proposals(app)
    at = app.clock.now().strftime(FORMAT)
    told: Mapping[str, object] = {"v": VERSION, "count": known.count + 1, "client": app.client, "last": at}
    write_json_cache(os.path.join(app.folder, FILE), dict(told))


@contextmanager
def _hold_turn(app: App) -> Iterator[None]:
    """One agent's proposal at a time: a hundred at once would each count what was there before them all."""
    os.makedirs(os.path.join(app.folder, "state"), mode=0o700, exist_ok=True)
    path = os.path.join(app.folder, LOCK)
    with translate_os_errors(path):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if not hold_lock(lock, PATIENCE):
            raise ProposalsBusy
        app.refresh()
        yield
    finally:
        os.close(lock)


class ProposalsBusy(Unavailable):
    """Other agents propose, one after the other, for longer than anybody should wait."""

    def __init__(self) -> None:
        super().__init__("Other agents are proposing; nothing was added.", "try again in a moment.")
