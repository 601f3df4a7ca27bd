"""Forgetting on the servers that a workspace is brought together with: each is asked, and says what it found.

Words go only to a server that had them from here, and only when a person said yes; the question before that is asked
by ids alone.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.app import need_person
from holdfast.config.remotes import Remote, remotes_of
from holdfast.config.teams import AT_SERVER
from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.event import Record
from holdfast.core.memory import Entry, Scope
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.exchange.http.http_peer import RemoteShared
from holdfast.exchange.removal.database_removal import InDatabase, Words
from holdfast.exchange.removal.pending_servers import is_owed, note_owed
from holdfast.exchange.three_way import state_name
from holdfast.forget.forget_memory import Forgetting, plan_sought, prove, purge, removed_words
from holdfast.forget.removal_query import Sought, long_lines, sought_subject, sought_text
from holdfast.system.json_cache import read_derived
from holdfast.workspace import App

__all__ = [
    "AtServer", "InDatabase", "Words", "forgotten_here", "look_at_servers", "purge_at_servers", "servers_of",
    "sought_of", "with_own_words", "words_for",
]  # fmt: skip

STATES = os.path.join("state", "sync")
RUNS, RECORDED = "runs/", "records/run/"
UNTOLD = (
    "nothing that went there is known to hold it, so it was not told the words; --tell-servers has it search for them"
)


class AtServer(Value):
    """What a server did, or would do. `failed`: why it did not answer.

    `asks`: it is told the words after the yes. `untold`: why it is not told them at all.
    """

    name: str
    told: Mapping[str, Any]
    failed: str = ""
    asks: bool = False
    untold: str = ""

    @property
    def empty(self) -> bool:
        """Whether it told of nothing, and is not asked for more."""
        return not self.asks and not any(self.told.get(each) for each in ("memories", "events", "records", "found"))


def look_at_servers(app: App, plan: Forgetting, *, everybody: bool) -> list[AtServer]:
    """What each server would do, as far as it can be asked without a word."""
    found = []
    for server in _asked_of(app, plan):
        if server.ids:
            found.append(_asked(server.remote, {"ids": server.ids, "dryRun": True}))
        elif _may_hear(app, server, plan.sought, everybody=everybody):
            found.append(AtServer(name=server.remote.name, told={}, asks=True))
        else:
            found.append(AtServer(name=server.remote.name, told={}, untold=UNTOLD))
    return found


def purge_at_servers(app: App, plan: Forgetting, why: str, *, everybody: bool) -> list[AtServer]:
    """Have each server purge, with the words that it had from here; `everybody`: also those that had none."""
    because = "" if plan.sought.holds(why) else why
    found = []
    for server in _asked_of(app, plan):
        words = {"ids": server.ids, "lines": server.lines} if server.ids else _words(plan.sought)
        if not server.ids and not _may_hear(app, server, plan.sought, everybody=everybody):
            found.append(AtServer(name=server.remote.name, told={}, untold=UNTOLD))
            continue
        done = _asked(server.remote, {**words, "because": because, "dryRun": False})
        note_owed(app, server.remote, plan.sought, owed=bool(done.failed))
        found.append(done)
    return found


class _Server(Value):
    """A server, which ids it is asked for, what of the words went there, and whether anything did."""

    remote: Remote
    ids: list[str]
    lines: list[str]
    had: bool


def _may_hear(app: App, server: _Server, sought: Sought, *, everybody: bool) -> bool:
    """Whether a server is told words: it had them from here, was to be told before, or a person says so."""
    return server.had or everybody or is_owed(app, server.remote, sought)


def _asked_of(app: App, plan: Forgetting) -> list[_Server]:
    """The servers, each with what it may be asked for. What is the user's own was never anybody's."""
    own = {entry.memory.id for entry in plan.entries if entry.scope is Scope.USER}
    ids = [each for each in plan.sought.ids if each not in own]
    if not app.workspace or (plan.sought.ids and not ids):
        return []
    return [_server(app, remote, plan, ids) for remote in servers_of(app)]


def _server(app: App, remote: Remote, plan: Forgetting, ids: list[str]) -> _Server:
    scope = Scope.TEAM if _is_teams(app, remote) else Scope.WORKSPACE
    name = state_name(f"{remote.url}/{remote.workspace}")
    held = read_derived(os.path.join(app.root_of(scope), STATES, f"{name}.json"))
    base = held.get("base")
    paths = frozenset(base) if isinstance(base, dict) else frozenset[str]()
    entries = [entry for entry in plan.entries if entry.scope is scope and entry.path in paths]
    events = [record for record in plan.events if scope is Scope.WORKSPACE and _was_sent(record, held.get("journal"))]
    runs = {path.split("/")[2] for path in paths if path.startswith(RECORDED)}
    told = any(path.startswith(RUNS) and path.split("/")[1] in runs for path in plan.records)
    return _Server(remote=remote, ids=ids, lines=_lines(entries, events), had=bool(entries or events or told))


def _lines(entries: Sequence[Entry], events: Sequence[Record]) -> list[str]:
    texts = [*(entry.memory.body for entry in entries), *map(removed_words, events)]
    return [line for text in texts for line in long_lines(text)]


def _was_sent(record: Record, cursor: object) -> bool:
    """Whether an event lies before the place up to which the journal was sent."""
    if not isinstance(cursor, list) or len(cursor) != 2 or not all(isinstance(each, int) for each in cursor):
        return False
    return [record.after.segment, record.after.offset] <= cursor


def _words(sought: Sought) -> dict[str, Any]:
    return {"text": sought.text} if sought.text else {"subject": sought.subject}


def _is_teams(app: App, remote: Remote) -> bool:
    return bool(app.team and app.team.kind == AT_SERVER and remote.name == _team_name(app.team.name))


def _team_name(name: str) -> str:
    return f"of the team {name}"


def servers_of(app: App) -> list[Remote]:
    """The servers of a workspace, and the one that its team's memory comes from."""
    found = list(remotes_of(app.home, app.workspace_id).values())
    if (team := app.team) and team.kind == AT_SERVER:
        found.append(Remote(name=_team_name(team.name), url=team.source, token=team.token, workspace=team.workspace))
    return found


def _asked(remote: Remote, asked: Mapping[str, Any]) -> AtServer:
    try:
        told = RemoteShared(remote.url, remote.token, remote.workspace).forget(asked)
    except HoldfastError as error:
        return AtServer(name=remote.name, told={}, failed=f"{error} {error.hint}".strip())
    return AtServer(name=remote.name, told=told)


def forgotten_here(app: App, sought: Sought, why: str, *, dry_run: bool) -> dict[str, Any]:
    """What a server answers: purged here, or only planned."""
    need_person(app, "forget --purge")
    plan = plan_sought(app, sought)
    proof = prove(app, plan) if dry_run else purge(app, plan, why)
    return _told(plan) | {
        "files": proof.files, "size": proof.size, "found": list(proof.found), "unreachable": list(proof.unreachable),
    }  # fmt: skip


def with_own_words(app: App, sought: Sought) -> Sought:
    """What another machine seeks by ids, with the lines that those memories hold here: nobody need send them."""
    if not sought.ids:
        return sought
    held = app.index.select(Select(ids=sought.ids))
    lines = (line for entry in held if entry.memory.id in sought.ids for line in long_lines(entry.memory.body))
    return replace(sought, lines=tuple(dict.fromkeys((*sought.lines, *lines))))


def _told(plan: Forgetting) -> dict[str, Any]:
    return {
        "memories": [entry.memory.id for entry in plan.entries], "events": len(plan.events),
        "log_lines": len(plan.log_lines), "records": len(plan.records),
    }  # fmt: skip


def sought_of(text: str, subject: str, ids: Sequence[str], lines: Sequence[str]) -> Sought:
    """What another machine seeks. Raises BadRequest where that is nothing, or several things."""
    if sum(map(bool, (text, subject, ids))) != 1:
        raise BadRequest("Say what to forget: text, subject or ids; one of them.", "leave the others out.")
    if ids:
        return Sought(ids=tuple(ids), lines=tuple(line for each in lines for line in long_lines(each)))
    return sought_text(text) if text else sought_subject(subject)


def words_for(sought: Sought) -> Words:
    """The same as a database is asked for it. Whose name it is, only the database's keeper may say."""
    return Words(
        holds=sought.holds, named=sought.named, ids=frozenset(sought.ids), events=frozenset(sought.events),
        said=sought.by_words,
    )  # fmt: skip
