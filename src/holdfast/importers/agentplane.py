"""AgentPlane's memory: entries with frontmatter, the form that ours came from."""

import os
import re
from typing import Any

from holdfast.core.memory import Memory, MemoryType, SaidBy, Scope, Status
from holdfast.core.value import replace
from holdfast.importers.foreign_text import FIELD, TITLE, limit_body, one_line, parse_time, strip_codes
from holdfast.importers.import_values import (
    SUPERSEDES,
    ImportedItem,
    Importer,
    ImportLink,
    ImportSource,
    Read,
    RejectedItem,
)
from holdfast.importers.read_files import (
    ImportFile,
    format_place,
    read_bytes,
    read_each,
)
from holdfast.importers.stable_keys import ImportKeys
from holdfast.vault.parse_memory import parse

_CHOICE = re.compile(r"^\s*\**(?:decision|choice)\**\s*:\**\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_LEAD = re.compile(
    r"^\s*\**(?:decision|assumption|invariant|rule|learning|failure|pattern)\**\s*:\**\s*", re.IGNORECASE
)
OVER = frozenset({Status.SUPERSEDED, Status.DEPRECATED})


def read(source: ImportSource) -> Read:
    """The entries of `memory/`; what else is there is a record of runs."""
    return read_each(source, _entries, ".md")


def _is_record(name: str) -> bool:
    return name.startswith(("runs/", "context/")) or "/runs/" in name or "/context/" in name


def _entries(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    if _is_record(file.name):
        yield RejectedItem(place=format_place(source, file.name), reason="a run's own page, no memory")
        return
    raw = read_bytes(file.path)
    found = parse(raw, path=file.name, scope=Scope.WORKSPACE)
    for problem in found.problems:
        yield RejectedItem(place=format_place(source, file.name, problem.line or 1), reason=problem.reason)
    if not found.entries and not found.problems:
        yield RejectedItem(place=format_place(source, file.name, 1), reason="holds no entry")
    for entry in found.entries:
        at = format_place(source, file.name, entry.line)
        yield _build_import(entry.memory, f"{source.label}#{entry.memory.id}", at, keys)


def _build_import(found: Memory, key: str, at: str, keys: ImportKeys) -> ImportedItem:
    words = strip_codes(found.body)
    title = (
        found.title
        if found.title and not found.body.lstrip().startswith(found.title)
        else _LEAD.sub("", words.strip().split("\n")[0])
    )
    choice = found.choice
    if found.type is MemoryType.DECISION and not choice and (told := _CHOICE.search(words)):
        choice = one_line(told[1], FIELD)
    extra: dict[str, Any] = {
        "import_status": str(found.status),
        "run": one_line(found.source, 80),
        "source_id": found.id,
    }
    extra |= {name: value for name, value in found.extra.items() if isinstance(value, str | int | float | bool)}
    made = replace(
        found, id="", status=Status.CANDIDATE, title=one_line(title or found.id, TITLE), body=limit_body(words, at),
        choice=choice,
        said_by=SaidBy.TOOL, source="", because="", enforce={}, evidence=(), cites=(), supersedes=(),
        valid_from=found.valid_from or parse_time(found.updated)[:10], updated=parse_time(found.updated),
        extra={name: value for name, value in extra.items() if value != ""},
    )  # fmt: skip
    waits = f"the source says {found.status}" if found.status in {Status.CANDIDATE, Status.REJECTED} else ""
    return ImportedItem(
        key=keys.own(key), place=at, memory=made, raw=repr(found), names=(found.id,), waits=waits,
        over=found.status in OVER,
        links=tuple(ImportLink(kind=SUPERSEDES, to=old) for old in found.supersedes),
    )  # fmt: skip


def detect(path: str) -> float:
    """Sure of the folder's name and of its files."""
    name = os.path.basename(path.rstrip("/"))
    inside = [
        each
        for each in ("decisions.md", "assumptions.md", "invariants.md")
        if _has_entry(path, each) or _has_entry(path, f"memory/{each}")
    ]
    if name == ".agentplane":
        return 0.99
    return 0.9 if len(inside) > 1 or (inside and "agentplane" in path) else 0.4 if inside else 0.0


def _has_entry(path: str, name: str) -> bool:
    return os.path.isfile(os.path.join(path, name))


AGENTPLANE = Importer(
    name="agentplane",
    reads="AgentPlane's memory: decisions, assumptions, invariants and candidates",
    lies=".agentplane",
    detect=detect,
    read=read,
)
