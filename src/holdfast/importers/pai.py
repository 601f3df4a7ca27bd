"""PAI's MEMORY folder: learnings, failures, research, and the decisions of its work."""

import json
import os
import re
from typing import Any

from holdfast.core.memory import Memory, MemoryType, SaidBy
from holdfast.importers.foreign_text import (
    TITLE,
    find_date,
    fold_text,
    one_line,
    parse_time,
    strip_codes,
    strip_markdown,
)
from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, Read, RejectedItem
from holdfast.importers.markdown_outline import find_paragraphs, front_texts, list_items, parse_page
from holdfast.importers.read_files import (
    ImportFile,
    format_place,
    read_each,
    read_json_lines,
    read_text,
)
from holdfast.importers.sentence_types import build_memory, fill_own_fields, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

FOLDERS = frozenset(
    {"WORK", "LEARNING", "RESEARCH", "SECURITY", "STATE", "PAISYSTEMUPDATES", "RELATIONSHIP", "VOICE", "RAW"}
)
ENDS = (".md", ".jsonl", ".yaml", ".yml", ".json", ".txt")
SKIPPED = {
    "STATE": "state of a running system, no memory",
    "SECURITY": "the guard's log, no memory",
    "VOICE": "spoken words, no memory",
    "RAW": "raw events, no memory",
    "PAISYSTEMUPDATES": "changes of PAI itself",
}
_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{2})(\d{2})(\d{2})_?")
_ROOT_CAUSE = re.compile(r"(?:root cause|cause|what went wrong|why)", re.IGNORECASE)


def read(source: ImportSource) -> Read:
    """Everything below MEMORY/, by the folder it stands in."""
    return read_each(source, _file, *ENDS)


def _file(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    top, _, rest = file.name.partition("/")
    name = os.path.basename(file.name)
    reason = SKIPPED.get(top.upper(), "")
    if top.upper() == "LEARNING" and rest.upper().startswith("SIGNALS/"):
        reason = "ratings are signals, no memories"
    elif top.upper() == "WORK" and name != "PRD.md":
        reason = "a unit of work: what was done, not what holds"
    elif name.endswith("reflections.jsonl"):
        yield from _reflections(source, file, keys)
        return
    elif top.upper() not in {"LEARNING", "RESEARCH", "RELATIONSHIP", "WORK"}:
        reason = reason or "stands outside LEARNING, RESEARCH, RELATIONSHIP and WORK"
    elif not name.endswith(".md") or name == "README.md":
        reason = "belongs to the page beside it" if "FAILURES" in rest else "is no page"
    if reason:
        yield RejectedItem(place=format_place(source, file.name), reason=reason)
    elif name == "PRD.md":
        yield from _decisions(source, file, keys)
    else:
        yield _page(source, file, keys)


def _page(source: ImportSource, file: ImportFile, keys: ImportKeys) -> ImportedItem | RejectedItem:
    words = read_text(file.path)
    found = parse_page(strip_codes(words), file.name)
    told = "\n\n".join(
        ("## " + s.title + "\n\n" if s.level > 1 else "") + "\n".join(s.lines).strip() for s in found.sections
    ).strip()
    at = format_place(source, file.name, 1)
    if reason := why_not_alone(" ".join(told.split())[:4000]):
        return RejectedItem(place=at, reason=reason)
    stamp = _STAMP.search(file.name)
    when = parse_time(found.front.get("timestamp") or found.front.get("date") or found.front.get("capture_time"))
    when = when or (f"{stamp[1]}T{stamp[2]}:{stamp[3]}:{stamp[4]}" if stamp else find_date(file.name))
    made = _build_memory(file.name, told, at, _title(found, file.name), found)
    fields = {
        "updated": parse_time(when) or when,
        "valid_from": when[:10],
        "tags": tuple(one_line(t, 40) for t in front_texts(found.front.get("tags"))),
    }
    session = one_line(str(found.front.get("session_id", "") or found.front.get("session", "")), 80)
    extra = {**made.extra, **({"session": session} if session else {})}
    return ImportedItem(
        key=keys.own(format_place(source, file.name)),
        place=at,
        raw=words,
        memory=made.__replace__(**fields, extra=extra),
    )


def _build_memory(name: str, told: str, at: str, title: str, found: Any) -> Memory:
    upper = name.upper()
    if "/FAILURES/" in f"/{upper}":
        cause = next((s for s in found.sections if _ROOT_CAUSE.match(s.title)), None)
        why = one_line(next((words for _, words in find_paragraphs(cause.lines)), "") if cause else "")
        return build_memory(
            MemoryType.FAILURE,
            told,
            at,
            SaidBy.AGENT,
            title=title,
            root_cause=why or fill_own_fields(MemoryType.FAILURE, told)["root_cause"],
        )
    if "/SYNTHESIS/" in f"/{upper}":
        return build_memory(MemoryType.PATTERN, told, at, SaidBy.AGENT, title=title)
    category = next(
        (word.lower() for word in ("SYSTEM", "ALGORITHM", "RESEARCH", "RELATIONSHIP") if f"/{word}/" in f"/{upper}"), ""
    )
    first = next((words for section in found.sections for _, words in find_paragraphs(section.lines)), title)
    return build_memory(
        MemoryType.LEARNING, told, at, SaidBy.AGENT, title=title, fact=one_line(first), category=category
    )


def _title(found: Any, name: str) -> str:
    given = str(found.front.get("title", "")) or next((s.title for s in found.sections if s.level == 1), "")
    folder, file = os.path.split(name)
    stem = os.path.basename(folder) if file == "CONTEXT.md" else os.path.splitext(file)[0]
    shown = (
        re.sub(r"^(?:AGENT|LEARNING|SYSTEM|ALGORITHM)[-_]", "", _STAMP.sub("", stem))
        .replace("-", " ")
        .replace("_", " ")
    )
    return one_line(
        re.sub(r"^(?:learning|failure)(?: context)?\s*:\s*", "", strip_markdown(given), flags=re.IGNORECASE) or shown,
        TITLE,
    )


def _decisions(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    words = read_text(file.path)
    found = parse_page(strip_codes(words), file.name)
    count = 0
    for section in found.sections:
        if not fold_text(section.title).startswith("decision"):
            continue
        for item in list_items(section.lines, section.start):
            at = format_place(source, file.name, item.line)
            if reason := why_not_alone(item.text):
                yield RejectedItem(place=at, reason=reason)
                continue
            count += 1
            whole = "\n".join([item.text, *item.below]).strip()
            when = find_date(item.text) or parse_time(found.front.get("completed_at"))
            extra = {
                "work": one_line(str(found.front.get("title", "")), TITLE),
                "session": one_line(str(found.front.get("session_id", "")), 80),
            }
            made = build_memory(
                MemoryType.DECISION,
                whole,
                at,
                SaidBy.AGENT,
                valid_from=when[:10],
                updated=when,
                extra={k: v for k, v in extra.items() if v},
            )
            yield ImportedItem(
                key=keys.of(format_place(source, file.name), "decisions", item.text), place=at, raw=whole, memory=made
            )
    if not count:
        yield RejectedItem(place=format_place(source, file.name), reason="a unit of work without decisions")


def _reflections(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    for number, found in read_json_lines(file.path):
        at = format_place(source, file.name, number)
        if isinstance(found, str):
            yield RejectedItem(place=at, reason=found)
            continue
        told = next(
            (
                str(found[key])
                for key in ("reflection", "learning", "insight", "lesson", "text", "content")
                if found.get(key)
            ),
            "",
        )
        told = told or "\n".join(
            f"{key}: {value}" for key, value in found.items() if isinstance(value, str) and len(value) > 30
        )
        if reason := why_not_alone(told):
            yield RejectedItem(place=at, reason=reason)
            continue
        when = parse_time(found.get("timestamp") or found.get("ts"))
        made = build_memory(
            MemoryType.LEARNING, told, at, SaidBy.AGENT, category="algorithm", updated=when, valid_from=when[:10]
        )
        yield ImportedItem(
            key=keys.of(format_place(source, file.name), "", told),
            place=at,
            raw=json.dumps(found, sort_keys=True),
            memory=made,
        )


def detect(path: str) -> float:
    """Sure of a folder with two of PAI's own below it."""
    try:
        names = {name for name in os.listdir(path) if os.path.isdir(os.path.join(path, name))}
    except OSError:
        return 0.0
    return 0.95 if len(names & FOLDERS) > 1 else 0.5 if names & {"LEARNING"} else 0.0


PAI = Importer(
    name="pai",
    reads="PAI's MEMORY folder: LEARNING, RESEARCH, RELATIONSHIP, decisions of WORK",
    lies="~/.claude/MEMORY, ~/.config/opencode/MEMORY",
    detect=detect,
    read=read,
)
