"""Forgetting on the servers that a workspace is synced with: each is asked, and says what it found.

Words go only to a server that had them from here, and only when a person said yes; the question before that is asked
by ids alone.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.config.remotes import Remote, remotes_of
from holdfast.config.teams import AT_SERVER
from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.event import JournalRecord
from holdfast.core.memory import Entry, Scope
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.exchange.database_removal import DatabaseMatches, PurgeWords
from holdfast.exchange.http.http_peer import HttpPeer
from holdfast.exchange.removal.pending_servers import is_pending, note_pending
from holdfast.exchange.three_way import state_name
from holdfast.forget.forget_memory import ForgetPlan, plan_query, prove, purge, read_tombstone_words
from holdfast.forget.removal_query import ForgetQuery, build_subject_query, build_text_query, find_long_lines
from holdfast.system.json_cache import read_json_cache
from holdfast.workspace import App, need_person

__all__ = [
    "DatabaseMatches",
    "PurgeWords",
    "ServerPurge",
    "add_own_words",
    "build_query",
    "forget_here",
    "preview_at_servers",
    "purge_at_servers",
    "servers_of",
    "to_purge_words",
]

STATES = os.path.join("state", "sync")
RUNS, RECORDED = "runs/", "records/run/"
UNTOLD = (
    "nothing that went there is known to hold it, so it was not told the words; --tell-servers has it search for them"
)


class ServerPurge(Value):
    """What a server did, or would do. `failed`: why it did not answer.

    `asks`: it is told the words after the yes. `not_asked`: why it is not told them at all.
    """

    name: str
    counts: Mapping[str, Any]
    failed: str = ""
    asks: bool = False
    not_asked: str = ""

    @property
    def empty(self) -> bool:
        """Whether it told of nothing, and is not asked for more."""
        return not self.asks and not any(self.counts.get(each) for each in ("memories", "events", "records", "found"))


def preview_at_servers(app: App, plan: ForgetPlan, *, everybody: bool) -> list[ServerPurge]:
    """What each server would do, as far as it can be asked without a word."""
    found = []
    for server in _plan_servers(app, plan):
        if server.ids:
            found.append(_ask_server(server.remote, {"ids": server.ids, "dryRun": True}))
        elif _may_hear(app, server, plan.query, everybody=everybody):
            found.append(ServerPurge(name=server.remote.name, counts={}, asks=True))
        else:
            found.append(ServerPurge(name=server.remote.name, counts={}, not_asked=UNTOLD))
    return found


def purge_at_servers(app: App, plan: ForgetPlan, why: str, *, everybody: bool) -> list[ServerPurge]:
    """Have each server purge, with the words that it had from here; `everybody`: also those that had none."""
    because = "" if plan.query.holds(why) else why
    found = []
    for server in _plan_servers(app, plan):
        words = {"ids": server.ids, "lines": server.lines} if server.ids else _query_json(plan.query)
        if not server.ids and not _may_hear(app, server, plan.query, everybody=everybody):
            found.append(ServerPurge(name=server.remote.name, counts={}, not_asked=UNTOLD))
            continue
        done = _ask_server(server.remote, {**words, "because": because, "dryRun": False})
        note_pending(app, server.remote, plan.query, owed=bool(done.failed))
        found.append(done)
    return found


class _Server(Value):
    """A server, which ids it is asked for, what of the words went there, and whether anything did."""

    remote: Remote
    ids: list[str]
    lines: list[str]
    had: bool


def _may_hear(app: App, server: _Server, sought: ForgetQuery, *, everybody: bool) -> bool:
    """Whether a server is told words: it had them from here, was to be told before, or a person says so."""
    return server.had or everybody or is_pending(app, server.remote, sought)


def _plan_servers(app: App, plan: ForgetPlan) -> list[_Server]:
    """The servers, each with what it may be asked for. What is the user's own was never anybody's."""
    own = {entry.memory.id for entry in plan.entries if entry.scope is Scope.USER}
    ids = [each for each in plan.query.ids if each not in own]
    if not app.workspace or (plan.query.ids and not ids):
        return []
    return [_server(app, remote, plan, ids) for remote in servers_of(app)]


def _server(app: App, remote: Remote, plan: ForgetPlan, ids: list[str]) -> _Server:
    scope = Scope.TEAM if _is_teams(app, remote) else Scope.WORKSPACE
    name = state_name(f"{remote.url}/{remote.workspace}")
    held = read_json_cache(os.path.join(app.root_of(scope), STATES, f"{name}.json"))
    base = held.get("base")
    paths = frozenset(base) if isinstance(base, dict) else frozenset[str]()
    entries = [entry for entry in plan.entries if entry.scope is scope and entry.path in paths]
    events = [record for record in plan.events if scope is Scope.WORKSPACE and _was_sent(record, held.get("journal"))]
    runs = {path.split("/")[2] for path in paths if path.startswith(RECORDED)}
    told = any(path.startswith(RUNS) and path.split("/")[1] in runs for path in plan.records)
    return _Server(remote=remote, ids=ids, lines=_lines(entries, events), had=bool(entries or events or told))


def _lines(entries: Sequence[Entry], events: Sequence[JournalRecord]) -> list[str]:
    texts = [*(entry.memory.body for entry in entries), *map(read_tombstone_words, events)]
    return [line for text in texts for line in find_long_lines(text)]


def _was_sent(record: JournalRecord, cursor: object) -> bool:
    """Whether an event lies before the place up to which the journal was sent."""
    if not isinstance(cursor, list) or len(cursor) != 2 or not all(isinstance(each, int) for each in cursor):
        return False
    return [record.after.segment, record.after.offset] <= cursor


def _query_json(sought: ForgetQuery) -> dict[str, Any]:
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


def _ask_server(remote: Remote, asked: Mapping[str, Any]) -> ServerPurge:
    try:
        told = HttpPeer(remote.url, remote.token, remote.workspace).forget(asked)
    except HoldfastError as error:
        return ServerPurge(name=remote.name, counts={}, failed=f"{error} {error.hint}".strip())
    return ServerPurge(name=remote.name, counts=told)


def forget_here(app: App, sought: ForgetQuery, why: str, *, dry_run: bool) -> dict[str, Any]:
    """What a server answers: purged here, or only planned."""
    need_person(app, "forget --purge")
    plan = plan_query(app, sought)
    proof = prove(app, plan) if dry_run else purge(app, plan, why)
    return _plan_json(plan) | {
        "files": proof.files, "size": proof.size, "found": list(proof.found), "unreachable": list(proof.unreachable),
    }  # fmt: skip


def add_own_words(app: App, sought: ForgetQuery) -> ForgetQuery:
    """What another machine seeks by ids, with the lines that those memories hold here: nobody need send them."""
    if not sought.ids:
        return sought
    held = app.index.select(Select(ids=sought.ids))
    lines = (line for entry in held if entry.memory.id in sought.ids for line in find_long_lines(entry.memory.body))
    return replace(sought, lines=tuple(dict.fromkeys((*sought.lines, *lines))))


def _plan_json(plan: ForgetPlan) -> dict[str, Any]:
    return {
        "memories": [entry.memory.id for entry in plan.entries], "events": len(plan.events),
        "log_lines": len(plan.log_lines), "records": len(plan.records),
    }  # fmt: skip


def build_query(text: str, subject: str, ids: Sequence[str], lines: Sequence[str]) -> ForgetQuery:
    """What another machine seeks. Raises BadRequest where that is nothing, or several things."""
    if sum(map(bool, (text, subject, ids))) != 1:
        raise BadRequest("Say what to forget: text, subject or ids; one of them.", "leave the others out.")
    if ids:
        return ForgetQuery(ids=tuple(ids), lines=tuple(line for each in lines for line in find_long_lines(each)))
    return build_text_query(text) if text else build_subject_query(subject)


def to_purge_words(sought: ForgetQuery) -> PurgeWords:
    """The same as a database is asked for it. Whose name it is, only the database's keeper may say."""
    return PurgeWords(
        holds=sought.holds, named=sought.named, ids=frozenset(sought.ids), events=frozenset(sought.events),
        spoken=sought.by_words,
    )  # fmt: skip
