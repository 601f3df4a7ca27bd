"""claude-mem's database: what its observer wrote of each session. Its tables are read through a port."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Memory, MemoryType, SaidBy
from holdfast.importers.foreign_tables import Row, Tables
from holdfast.importers.foreign_text import FIELD, TITLE, one_line, parse_time, strip_codes
from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, Read, RejectedItem
from holdfast.importers.sentence_types import build_memory, find_cause, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

OBSERVATIONS, SUMMARIES, PROMPTS = "observations", "session_summaries", "user_prompts"
TEACHING = frozenset({"how-it-works", "why-it-exists", "problem-solution", "gotcha", "pattern", "trade-off"})
CHANGES = frozenset({"feature", "change", "refactor"})
ALL = "all"
LONGEST_PROMPT = 300
MOST_PATHS = 12


def make_importer(opened: Callable[[str], Tables]) -> Importer:
    """The reader, with a way to open a database."""

    def read(source: ImportSource) -> Read:
        tables = opened(database_in(source.path))
        try:
            yield from _read_tables(source, tables)
        finally:
            tables.close()

    return Importer(
        name="claude-mem",
        reads="claude-mem's SQLite database: observations and what sessions learned",
        lies="~/.claude-mem/claude-mem.db",
        detect=detect,
        read=read,
    )


def _read_tables(source: ImportSource, tables: Tables) -> Read:
    if not tables.columns(OBSERVATIONS):
        yield RejectedItem(place=source.label, reason="has no table 'observations': this is no database of claude-mem")
        return
    keys = ImportKeys()
    prompts: dict[tuple[str, int], str] = {}
    sessions = {
        str(row.get("memory_session_id") or row.get("sdk_session_id") or ""): row
        for row in _rows(tables, "sdk_sessions", source, [])
    }
    trouble: list[RejectedItem] = []
    for row in _rows(tables, PROMPTS, source, trouble):
        session = str(row.get("content_session_id") or row.get("claude_session_id") or "")
        prompts[session, _number(row.get("prompt_number"))] = _text(row, "prompt_text")
    seen: set[str] = set()
    for row in _rows(tables, OBSERVATIONS, source, trouble):
        yield _observation(source, row, sessions, prompts, seen, keys)
    for row in _rows(tables, SUMMARIES, source, trouble):
        yield _summary(source, row, sessions, keys)
    if prompts:
        yield RejectedItem(
            place=f"{source.label}:{PROMPTS}", reason=f"{len(prompts)} prompts: what was asked, not what holds"
        )
    yield from trouble


def _rows(tables: Tables, table: str, source: ImportSource, trouble: list[RejectedItem]) -> Iterator[Row]:
    """The rows of a table; where it breaks off, the rest is trouble."""
    if not tables.columns(table):
        return
    try:
        yield from tables.rows(table)
    except HoldfastError as error:
        trouble.append(
            RejectedItem(place=f"{source.label}:{table}", reason=f"the rest of the table cannot be read: {error}")
        )


def _observation(
    source: ImportSource,
    row: Row,
    sessions: Mapping[str, Row],
    prompts: Mapping[tuple[str, int], str],
    seen: set[str],
    keys: ImportKeys,
) -> ImportedItem | RejectedItem:
    at = f"{source.label}:{OBSERVATIONS}:{row.get('id')}"
    told = _observation_text(row)
    if reason := _why_unfit(source, row) or why_not_alone(" ".join(told.split())[:4000]):
        return RejectedItem(place=at, reason=reason)
    own = (
        _text(row, "content_hash")
        or f"{row.get('memory_session_id') or row.get('sdk_session_id')}/{row.get('created_at_epoch')}/{row.get('id')}"
    )
    if own in seen:
        return RejectedItem(place=at, reason="stands in this source before")
    seen.add(own)
    session = sessions.get(_text(row, "memory_session_id") or _text(row, "sdk_session_id"), {})
    content = str(session.get("content_session_id") or session.get("claude_session_id") or "")
    asked = prompts.get((content, _number(row.get("prompt_number"))), "")
    extra = {
        "session": content, "project": _project(row), "observation_type": _text(row, "type"),
        "model": _text(row, "generated_by_model"), "prompt": asked, "source_id": str(row.get("id", "")),
    }  # fmt: skip
    made = _build_memory(
        row, told, at, {name: one_line(value, LONGEST_PROMPT) for name, value in extra.items() if value}
    )
    return ImportedItem(
        key=keys.own(own), place=at, memory=made, raw=f"{_text(row, 'title')}\n{told}\n{_text(row, 'type')}"
    )


def _build_memory(row: Row, told: str, at: str, extra: Mapping[str, str]) -> Memory:
    kind, title = _kind(row, told), _text(row, "title")
    facts, when = _list(row, "facts"), parse_time(row.get("created_at_epoch") or row.get("created_at"))
    tags = tuple(one_line(each, 40) for each in _list(row, "concepts"))
    fields: dict[str, Any] = {"title": one_line(title, TITLE), "tags": tags, "extra": dict(extra)}
    fields |= {"updated": when, "valid_from": when[:10]}
    if kind is MemoryType.LEARNING:
        fields |= {
            "fact": one_line(_text(row, "subtitle") or (facts[0] if facts else "") or title or told, FIELD),
            "category": one_line(_text(row, "type"), 40),
        }
    elif kind is MemoryType.DECISION:
        fields |= {
            "choice": one_line(title or told, FIELD),
            "category": "trade-off" if "trade-off" in _list(row, "concepts") else "",
        }
    elif kind is MemoryType.FAILURE:
        fields |= {"root_cause": find_cause(told), "error_message": one_line(title)}
    fields["paths"] = tuple(path for path in map(_path, _list(row, "files_modified")) if path)[:MOST_PATHS]
    return build_memory(kind, told, at, SaidBy.AGENT, **fields)


def _path(path: str) -> str:
    """A file of the project; one that leads elsewhere (absolute, or up) names no path of a workspace."""
    clean = os.path.normpath(one_line(path, 200))
    return "" if os.path.isabs(clean) or clean.startswith("..") or "~" in clean or clean == "." else clean


def _kind(row: Row, told: str) -> MemoryType:
    kind, concepts = _text(row, "type"), set(_list(row, "concepts"))
    if kind == "decision" or "trade-off" in concepts:
        return MemoryType.DECISION
    if kind == "bugfix":
        return MemoryType.FAILURE if find_cause(told) else MemoryType.LEARNING
    return MemoryType.PATTERN if "pattern" in concepts else MemoryType.LEARNING


def _why_unfit(source: ImportSource, row: Row) -> str:
    kind, concepts = _text(row, "type"), set(_list(row, "concepts"))
    project = _project(row)
    if kind == "sensitive":
        return "marked sensitive"
    if source.project and source.project != ALL and project.casefold() != source.project.casefold():
        return f"of project {one_line(project, 60)!r}, not {source.project!r}"
    if kind in CHANGES and not concepts & TEACHING:
        return f"a {kind} that only says what changed"
    return ""


def _project(row: Row) -> str:
    return _text(row, "merged_into_project") or _text(row, "project")


def _observation_text(row: Row) -> str:
    facts = "\n".join(f"- {fact}" for fact in _list(row, "facts"))
    parts = [_text(row, "narrative") or _text(row, "text") or _text(row, "subtitle"), facts]
    return strip_codes("\n\n".join(filter(None, parts)) or _text(row, "title")).strip()


def _summary(
    source: ImportSource, row: Row, sessions: Mapping[str, Row], keys: ImportKeys
) -> ImportedItem | RejectedItem:
    at = f"{source.label}:{SUMMARIES}:{row.get('id')}"
    learned = strip_codes(_text(row, "learned")).strip()
    project = _project(row)
    if source.project and source.project != ALL and project.casefold() != source.project.casefold():
        return RejectedItem(place=at, reason=f"of project {one_line(project, 60)!r}, not {source.project!r}")
    if reason := "a summary that learned nothing" if not learned else why_not_alone(" ".join(learned.split())[:4000]):
        return RejectedItem(place=at, reason=reason)
    when = parse_time(row.get("created_at_epoch") or row.get("created_at"))
    session = sessions.get(_text(row, "memory_session_id") or _text(row, "sdk_session_id"), {})
    extra = {
        "session": str(session.get("content_session_id") or session.get("claude_session_id") or ""), "project": project,
        "prompt": _text(row, "request"), "source_id": str(row.get("id", "")),
    }  # fmt: skip
    made = build_memory(
        MemoryType.LEARNING, learned, at, SaidBy.AGENT, category="session", updated=when, valid_from=when[:10],
        extra={name: one_line(value, LONGEST_PROMPT) for name, value in extra.items() if value},
    )  # fmt: skip
    whose = _text(row, "memory_session_id") or _text(row, "sdk_session_id")
    own = f"summary/{whose}/{row.get('created_at_epoch')}/{row.get('id')}"
    return ImportedItem(key=keys.own(own), place=at, memory=made, raw=learned)


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _list(row: Row, name: str) -> list[str]:
    """A column that holds a JSON list; what is none is one text."""
    value = _text(row, name).strip()
    if not value:
        return []
    try:
        found = json.loads(value)
    except (RecursionError, ValueError):
        return [value]
    return [each for each in found if isinstance(each, str) and each.strip()] if isinstance(found, list) else []


def detect(path: str) -> float:
    """Sure of an SQLite file that names claude-mem's tables, or of the folder it lies in."""
    if os.path.isdir(path):
        return 0.9 if os.path.isfile(os.path.join(path, "claude-mem.db")) else 0.0
    try:
        with open(path, "rb") as file:
            begin = file.read(1 << 17)
    except OSError:
        return 0.0
    if not begin.startswith(b"SQLite format 3\0"):
        return 0.0
    return 0.95 if b"observations" in begin or b"sdk_sessions" in begin else 0.3 if "claude-mem" in path else 0.1


def database_in(path: str) -> str:
    """The database that a path means: itself, or the one in a folder."""
    return os.path.join(path, "claude-mem.db") if os.path.isdir(path) else path
