"""Bootstrap: what the code base shows is proposed as patterns, once."""

import os
import time
from collections.abc import Mapping
from typing import Any

from holdfast.bootstrap.profile.propose_patterns import (
    ChangedPattern,
    KnownPattern,
    NewPattern,
    Pattern,
    build_patterns,
    memory_of,
    plan_patterns,
)
from holdfast.bootstrap.read_code_base import CodeBaseProfile, read_profile
from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.event import Event
from holdfast.core.ids import random_part
from holdfast.core.memory import CANDIDATE_PREFIX, Citation, Entry, Memory
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.index.entries import CANDIDATES, to_index_entry, to_vault_entry
from holdfast.redact import clean as redact
from holdfast.review.remember import BadField, cite_place, journal_entry_change
from holdfast.vault.entry_json import now
from holdfast.workspace import App

__all__ = ["BootstrapResult", "ProposedPattern", "bootstrap", "bootstrap_json"]


class BootstrapFolderMissing(NotFound):
    """A folder that is not there."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no folder {path!r}.", "name a folder of this workspace, or none for all of it.")


class BootstrapOutsideWorkspace(BadRequest):
    """A folder that is not the workspace's."""

    def __init__(self, path: str, workspace: str) -> None:
        super().__init__(
            f"{path!r} lies outside the workspace {workspace!r}.", "run it in that folder's own workspace, or use -C."
        )


class ProposedPattern(Value):
    """A pattern that was proposed, or would be; `supersedes` when it has another answer than an accepted one."""

    id: str
    title: str
    evidence: str
    supersedes: str = ""


class BootstrapResult(Value):
    """What was read, what was proposed or rewritten, and what was known already."""

    profile: CodeBaseProfile
    seconds: float
    proposed: tuple[ProposedPattern, ...]
    updated: tuple[ProposedPattern, ...]
    known: tuple[str, ...]


def bootstrap(app: App, path: str = "", *, dry_run: bool = False) -> BootstrapResult:
    """Read the code base (or a folder of it) and propose what holds clearly and is new."""
    begun = time.monotonic()
    folder, prefix = _resolve_folder(app, path)
    profile = read_profile(folder, os.path.realpath(app.workspace), app.progress)
    found = build_patterns(profile.traits, profile.tools, prefix, profile.samples)
    steps = plan_patterns(found, app.index.select(Select()))
    proposed: list[ProposedPattern] = []
    updated: list[ProposedPattern] = []
    known: list[str] = []
    for step in steps:
        match step:
            case KnownPattern(pattern=pattern):
                known.append(pattern.key)
            case NewPattern(pattern=pattern, supersedes=old):
                entry_id = "" if dry_run else _add(app, pattern, old)
                if entry_id is None:
                    known.append(pattern.key)
                else:
                    (updated if old else proposed).append(_build_proposal(pattern, entry_id, old))
            case ChangedPattern(pattern=pattern, entry=entry):
                if not dry_run:
                    _rewrite(app, pattern, entry)
                updated.append(_build_proposal(pattern, entry.memory.id, ""))
    if not dry_run and (proposed or updated):
        app.refresh()
    return BootstrapResult(
        profile=profile,
        seconds=round(time.monotonic() - begun, 2),
        proposed=tuple(proposed),
        updated=tuple(updated),
        known=tuple(known),
    )


def bootstrap_json(found: BootstrapResult) -> dict[str, Any]:
    """The one JSON form."""
    profile = found.profile
    return {
        "files": dict(profile.files),
        "skipped": profile.skipped,
        "sampled": bool(profile.samples),
        "seconds": found.seconds,
        "traits": [
            {"key": t.key, "answer": t.answer, "cases": t.cases, "of": t.of, "files": t.files} for t in profile.traits
        ],
        "proposed": [_short(each) for each in found.proposed],
        "updated": [_short(each) | {"supersedes": each.supersedes or None} for each in found.updated],
        "known": list(found.known),
    }


def _short(proposed: ProposedPattern) -> dict[str, Any]:
    return {"id": proposed.id or None, "title": proposed.title, "evidence": proposed.evidence}


def _build_proposal(pattern: Pattern, entry_id: str, old: str) -> ProposedPattern:
    counts = pattern.body.split("\n\n")[1] if "\n\n" in pattern.body else ""
    return ProposedPattern(id=entry_id, title=pattern.title, evidence=counts, supersedes=old)


def _resolve_folder(app: App, path: str) -> tuple[str, str]:
    """The folder to read, and what stands before its paths in the workspace."""
    root = os.path.realpath(app.workspace)
    folder = os.path.realpath(path) if path else root
    if not os.path.isdir(folder):
        raise BootstrapFolderMissing(path)
    if os.path.commonpath([root, folder]) != root:
        raise BootstrapOutsideWorkspace(path, app.workspace)
    inside = os.path.relpath(folder, root).replace(os.sep, "/")
    return folder, "" if inside == "." else f"{inside}/"


def _add(app: App, pattern: Pattern, supersedes: str) -> str | None:
    """The new candidate's id; None when a person has decided on the same before and it is gone since."""
    memory = _memory(app, pattern, f"{CANDIDATE_PREFIX}-{random_part()}")
    if supersedes:
        memory = replace(memory, supersedes=(supersedes,))
    entry = app.candidates.add(memory)
    if supersedes:
        journal_entry_change(app, "candidate.added", entry)
        return memory.id
    data = {"id": memory.id, "sha256": entry.sha256, "text": memory.id}
    key = f"bootstrap:{pattern.profile}"
    [receipt] = app.journal.append([Event(client="holdfast", name="candidate.added", key=key, data=data)])
    if not receipt.fresh:
        app.candidates.remove(entry)
        return None
    return memory.id


def _rewrite(app: App, pattern: Pattern, entry: Entry) -> None:
    fresh = _memory(app, pattern, entry.memory.id)
    kept: Mapping[str, Any] = {**entry.memory.extra, **fresh.extra}
    changed = app.candidates.rewrite(to_vault_entry(entry), replace(fresh, extra=kept))
    journal_entry_change(app, "memory.changed", to_index_entry(changed, CANDIDATES))


def _memory(app: App, pattern: Pattern, candidate_id: str) -> Memory:
    """The candidate as it is written: names and commit subjects come from others, and hold no secret."""
    memory = memory_of(pattern, candidate_id, now(app))
    return replace(
        memory,
        title=str(redact.clean(memory.title).value),
        body=str(redact.clean(memory.body).value),
        cites=tuple(found for place in pattern.places if (found := _cite_place(app, place)) is not None),
    )


def _cite_place(app: App, place: str) -> Citation | None:
    try:
        return cite_place(app, place)
    except (BadField, OSError):
        return None
