"""When did we believe this: the versions of a memory that git has, and how long it held."""

from datetime import datetime
from typing import Any

from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry, Memory, Scope
from holdfast.core.memory_json import to_json
from holdfast.core.value import Value, as_dict, replace
from holdfast.index.entries import CANDIDATES, MEMORY, NoSuchId, find_entries, is_candidate
from holdfast.recall.find import find_superseded
from holdfast.recall.validity import parse_as_of, supersession_times, why_not_held
from holdfast.trust.acceptances import Acceptance, acceptance_json, hash_text, list_acceptances
from holdfast.trust.allow import filter_visible
from holdfast.vault.entry_json import display_path, parse_moment
from holdfast.vault.git_versions import MemoryVersion, MemoryVersions, Repository
from holdfast.workspace import App

__all__ = [
    "MemoryAtTime",
    "MemoryHistory",
    "MemoryVersion",
    "VersionChange",
    "history_json",
    "memory_at_time_json",
    "read_at_time",
    "read_history",
    "versions_of",
]

NOT_COMMITTED = "not committed"
AS_IT_IS = "this is the text as it is now"
# What a change of anything else brings along.
BESIDES = frozenset({"updated"})


class VersionChange(Value):
    """One step in a memory's life: what happened, in which version, to which fields, from what to what."""

    what: str
    version: MemoryVersion
    fields: tuple[str, ...] = ()
    before: Memory | None = None

    @property
    def committed(self) -> bool:
        """Whether git has it."""
        return bool(self.version.commit)


class MemoryHistory(Value):
    """How long a memory held, as far as is known now, and its steps, newest first. `entry` is None where it is gone."""

    id: str
    entry: Entry | None
    memory: Memory
    changes: tuple[VersionChange, ...]
    holds: bool
    why: str = ""
    until: str = ""
    superseded_by: str = ""
    note: str = ""
    accepted: tuple[Acceptance, ...] = ()


class MemoryAtTime(Value):
    """A memory at a moment: whether it held, and its text, from git or, where git does not tell, as it is now."""

    when: str
    held: bool
    why: str
    entry: Entry
    version: MemoryVersion | None = None
    note: str = ""


def read_history(app: App, wanted: str) -> list[MemoryHistory]:
    """When a memory was believed. Of one that was removed, what git still has of it."""
    try:
        entries = filter_visible(app, find_entries(app, wanted))
    except NoSuchId:
        gone = _read_removed(app, wanted)
        if gone is None:
            raise
        return [gone]
    return [_build_history(app, entry) for entry in entries]


def versions_of(app: App, entry: Entry) -> MemoryVersions:
    """The versions of a memory that git has, newest first; what an agent may not see is left out."""
    inside = f"{FOLDER}/" if entry.scope is Scope.WORKSPACE else ""
    below = f"{inside}{CANDIDATES if is_candidate(entry) else MEMORY}"
    folder = app.base if entry.scope is Scope.WORKSPACE else app.root_of(entry.scope)
    found = Repository(folder).versions(entry.memory.id, f"{inside}{entry.path}", below)
    return replace(found, found=tuple(map(_VersionVisibility(app, entry).seen, found.found)))


def read_at_time(app: App, entry: Entry, as_of: str) -> MemoryAtTime:
    """A memory as it held at a time. Raises NotATime."""
    when = parse_as_of(as_of, app.clock.now())
    links = app.index.links()[0]
    why = why_not_held(entry.memory, when, supersession_times(links), {link.old: link.new for link in links})
    at = when.isoformat(timespec="seconds")
    now = MemoryAtTime(when=at, held=not why, why=why, entry=entry)
    if when >= app.clock.now():
        return now
    versions = versions_of(app, entry)
    version = _find_version_at(versions, when)
    if version is None:
        return replace(now, note=_explain_no_version(versions))
    if version.memory is None:
        why_now = "the user has not allowed the text of then" if version.held_back else "its file was not there then"
        return replace(now, version=version, note=f"{AS_IT_IS}: {why_now}")
    text = replace(entry, memory=version.memory, sha256=version.sha256)
    return replace(now, entry=text, version=version)


def memory_at_time_json(found: MemoryAtTime) -> dict[str, Any]:
    """A moment for programs."""
    version = found.version
    commit = {"commit": version.commit, "committed": version.committed, "path": version.path} if version else None
    return {"when": found.when, "held": found.held, "why": found.why, "text_of": commit, "note": found.note}


def history_json(app: App, belief: MemoryHistory) -> dict[str, Any]:
    """A memory's life for programs."""
    memory = belief.memory
    return {
        "id": memory.id, "type": memory.type, "title": memory.title, "status": memory.status,
        "path": display_path(app, belief.entry) if belief.entry else "",
        "believed": {
            "from": memory.valid_from, "until": belief.until, "now": belief.holds, "why": belief.why,
            "superseded_by": belief.superseded_by,
        },
        "versions": [_change_json(change) for change in belief.changes], "note": belief.note,
        "accepted": [acceptance_json(each, hash_text(memory)) for each in belief.accepted],
    }  # fmt: skip


def _change_json(change: VersionChange) -> dict[str, Any]:
    version = change.version
    before = to_json(change.before) if change.before else {}
    after = to_json(version.memory) if version.memory else {}
    fields = [{"field": name, "before": before.get(name), "after": after.get(name)} for name in change.fields]
    return {
        "what": change.what, "commit": version.commit, "committed": version.committed, "date": version.authored,
        "author": version.author, "subject": version.subject, "path": version.path,
        "fields": fields if change.before else [],
    }  # fmt: skip


def _build_history(app: App, entry: Entry) -> MemoryHistory:
    versions = versions_of(app, entry)
    links = app.index.links()[0]
    ended, newer = supersession_times(links), find_superseded(app)
    memory = entry.memory
    why = why_not_held(memory, app.clock.now(), ended, newer)
    until = [end for end in (parse_moment(memory.valid_until), ended.get(memory.id)) if end is not None]
    changes = _list_version_changes(versions, _read_working(app, entry, versions))
    return MemoryHistory(
        id=memory.id, entry=entry, memory=memory, changes=changes, holds=not why, why=why,
        until=_format_time(min(until)) if until else "", superseded_by=newer.get(memory.id, ""), note=versions.why,
        accepted=() if app.client else tuple(list_acceptances(app, entry)),
    )  # fmt: skip


def _read_removed(app: App, wanted: str) -> MemoryHistory | None:
    """What git has of a memory that is not there any more. An agent is told nothing of it."""
    if app.client or not app.workspace:
        return None
    found = Repository(app.base).versions(wanted.upper(), "", f"{FOLDER}/{MEMORY}")
    last = next((version.memory for version in found.found if version.memory), None)
    if last is None:
        return None
    changes = _list_version_changes(found, None)
    if changes[0].version.memory is not None:
        changes = (VersionChange(what="removed", version=_uncommitted_version(None, ""), before=last), *changes)
    return MemoryHistory(
        id=last.id, entry=None, memory=last, changes=changes, holds=False, why="its file is not there any more",
        until=last.valid_until, note=found.why,
    )  # fmt: skip


def _read_working(app: App, entry: Entry, versions: MemoryVersions) -> MemoryVersion | None:
    """The file as it stands, where git's newest version says something else."""
    newest = versions.found[0] if versions.found else None
    if newest is not None and newest.memory == entry.memory:
        return None
    return _uncommitted_version(entry.memory, display_path(app, entry))


def _uncommitted_version(memory: Memory | None, path: str) -> MemoryVersion:
    return MemoryVersion(
        commit="", committed="", authored="", author="", subject=NOT_COMMITTED, path=path, memory=memory
    )


def _list_version_changes(versions: MemoryVersions, working: MemoryVersion | None) -> tuple[VersionChange, ...]:
    every = [*([working] if working else []), *versions.found]
    older = [*every[1:], None]
    return tuple(_compare_versions(version, before) for version, before in zip(every, older, strict=True))


def _compare_versions(version: MemoryVersion, older: MemoryVersion | None) -> VersionChange:
    before = older.memory if older else None
    if version.memory is None:
        return VersionChange(what="held back" if version.held_back else "removed", version=version, before=before)
    if before is None:
        return VersionChange(what="added", version=version)
    fields = _find_differing(before, version.memory)
    return VersionChange(what="changed" if fields else "renamed", version=version, fields=fields, before=before)


def _find_differing(before: Memory, after: Memory) -> tuple[str, ...]:
    old, new = as_dict(before), as_dict(after)
    fields = [name for name in new if old[name] != new[name]]
    return tuple(name for name in fields if name not in BESIDES) or tuple(fields)


def _find_version_at(versions: MemoryVersions, when: datetime) -> MemoryVersion | None:
    """The newest version of a moment; in a history that forks, the one that was committed last."""
    known = [(at, version) for version in versions.found if (at := parse_moment(version.committed)) and at <= when]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def _explain_no_version(versions: MemoryVersions) -> str:
    first = versions.found[-1].committed[:10] if versions.found else ""
    why = versions.why or (f"git has it since {first}" if first else "git does not have it")
    return f"{AS_IT_IS}: {why}"


def _format_time(when: datetime) -> str:
    whole_day = (when.hour, when.minute, when.second, when.microsecond) == (0, 0, 0, 0)
    return when.date().isoformat() if whole_day else when.isoformat(timespec="seconds")


class _VersionVisibility:
    """What of a memory's old versions whoever asks may see: an agent, those that the user wrote or allowed."""

    def __init__(self, app: App, entry: Entry) -> None:
        self._memory = entry.memory
        self._free = not app.client or entry.scope is not Scope.WORKSPACE
        self._known = frozenset() if self._free else frozenset(app.registry.known(app.workspace_id))

    def seen(self, version: MemoryVersion) -> MemoryVersion:
        """The version; one that may not be seen says only when it was."""
        mine = self._free or version.sha256 in self._known or version.memory == self._memory
        return version if mine else replace(version, memory=None, author="", subject="", held_back=True)
