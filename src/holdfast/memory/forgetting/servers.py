"""Forgetting on the servers that a workspace is brought together with: each is asked, and says what it found."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.backends.remote.shared import RemoteShared
from holdfast.config.remotes import Remote, remotes_of
from holdfast.config.teams import AT_SERVER
from holdfast.domain.errors import BadRequest, HoldfastError
from holdfast.domain.value import Value
from holdfast.memory.forgetting.forget import Forgetting, plan_sought, prove, purge
from holdfast.memory.forgetting.sought import Sought, long_lines, sought_subject, sought_text
from holdfast.memory.open import need_person
from holdfast.wiring.app import App
from holdfast.wiring.purging import InDatabase, Words

__all__ = ["AtServer", "InDatabase", "Words", "ask_servers", "forgotten_here", "servers_of", "sought_of", "words_for"]


class AtServer(Value):
    """What a server did, or would do. `failed`: why it did not answer."""

    name: str
    told: Mapping[str, Any]
    failed: str = ""

    @property
    def empty(self) -> bool:
        """Whether it told of nothing."""
        return not any(self.told.get(each) for each in ("memories", "events", "records", "found"))


def ask_servers(app: App, sought: Sought, why: str, *, dry_run: bool) -> list[AtServer]:
    """Have each server purge, or say what it would."""
    if not app.workspace:
        return []
    asked = {
        "text": sought.text, "subject": sought.subject, "ids": list(sought.ids), "lines": list(sought.lines),
        "because": why, "dryRun": dry_run,
    }  # fmt: skip
    return [_asked(remote, asked) for remote in servers_of(app)]


def servers_of(app: App) -> list[Remote]:
    """The servers of a workspace, and the one that its team's memory comes from."""
    found = list(remotes_of(app.home, app.workspace_id).values())
    if (team := app.team) and team.kind == AT_SERVER:
        found.append(
            Remote(name=f"of the team {team.name}", url=team.source, token=team.token, workspace=team.workspace)
        )
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
