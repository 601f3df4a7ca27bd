"""MEMORY.md, memory/ and tasks/ as OmoiOS keeps them: a table of decisions, lessons, a working buffer, daily logs."""

import os
import re

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.foreign_text import (
    FIELD,
    TITLE,
    find_date,
    fold_text,
    one_line,
    strip_codes,
    strip_markdown,
    without_comments,
)
from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, Read, RejectedItem
from holdfast.importers.markdown_outline import MarkdownSection, find_paragraphs, list_items, parse_page, table_rows
from holdfast.importers.read_files import ImportFile, format_place, read_all, read_named
from holdfast.importers.sentence_types import PROGRESS, build_memory, kind_of, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

_DECISIONS = re.compile(
    r"decisions?\b|.*\bdecisions? log|corrections?\b|architecture (?:choices|decisions)", re.IGNORECASE
)
_FAILED = re.compile(
    r"(?:what )?(?:failed|failures?|didn'?t work|dead ends?|tried|what was tried|problems?|gotchas"
    r"|mistakes)\b",
    re.IGNORECASE,
)
_LESSONS = re.compile(r"lessons?|learned|learnings|insights?|patterns?|rules?|notes to self|takeaways", re.IGNORECASE)
_INSIGHT = re.compile(
    r"\**\s*(?:key insight|insight|lesson|learned|important|note)[^:*]{0,40}\**\s*:\**\s*(.+)$", re.IGNORECASE
)
_STRUCK = re.compile(r"\s*~~.*~~")


def read(source: ImportSource) -> Read:
    """The long-term page, then the buffer and the logs, then the lessons. The open tasks are no memories."""
    keys = ImportKeys()
    if os.path.isfile(source.path):
        found = list(read_all(source, ".md"))
    else:
        logs = ImportSource(path=os.path.join(source.path, "memory"), label=format_place(source, "memory"))
        found = [*read_named(source, "MEMORY.md", "tasks/lessons.md", "tasks/todo.md")]
        if os.path.isdir(logs.path) and not os.path.islink(logs.path):
            found += [_name_in_memory(each) for each in read_all(logs, ".md", deepest=3)]
    for each in found:
        if isinstance(each, RejectedItem):
            yield each
        elif each[0].name.endswith("todo.md"):
            yield RejectedItem(
                place=format_place(source, each[0].name), reason="open tasks, no memories: `holdfast todo` keeps such"
            )
        else:
            yield from _page(source, each[0], each[1], keys)


def _name_in_memory(each: tuple[ImportFile, str] | RejectedItem) -> tuple[ImportFile, str] | RejectedItem:
    return (
        each
        if isinstance(each, RejectedItem)
        else (ImportFile(path=each[0].path, name=f"memory/{each[0].name}"), each[1])
    )


def _page(source: ImportSource, file: ImportFile, words: str, keys: ImportKeys) -> Read:
    lessons = os.path.basename(file.name or file.path).lower().startswith("lessons")
    when = find_date(os.path.basename(file.name))
    for section in parse_page(without_comments(strip_codes(words)), file.name).sections:
        title = strip_markdown(section.title)
        if (table := table_rows(section.lines, section.start)) and _is_log(table[0][1]):
            yield from _table(source, file, table, keys)
        elif lessons or _LESSONS.match(title):
            yield from _read_list(source, file, section, None, when, keys)
        elif _DECISIONS.match(title):
            yield from _read_list(source, file, section, MemoryType.DECISION, when, keys)
        elif _FAILED.match(title):
            yield from _read_list(source, file, section, MemoryType.FAILURE, when, keys)
        else:
            yield from _insights(source, file, section, when, keys)


def _is_log(head: list[str]) -> bool:
    return any(fold_text(cell).startswith(("decision", "choice")) for cell in head)


def _table(source: ImportSource, file: ImportFile, table: list[tuple[int, list[str]]], keys: ImportKeys) -> Read:
    head = [fold_text(cell) for cell in table[0][1]]
    what = next(at for at, cell in enumerate(head) if cell.startswith(("decision", "choice")))
    why = next((at for at, cell in enumerate(head) if re.match(r"rationale|reason|why|because", cell)), -1)
    day = next((at for at, cell in enumerate(head) if cell.startswith("date")), -1)
    for number, cells in table[1:]:
        at = format_place(source, file.name, number)
        told = cells[what] if what < len(cells) else ""
        if reason := why_not_alone(told):
            yield RejectedItem(place=at, reason=reason)
            continue
        reasons = cells[why] if 0 <= why < len(cells) else ""
        when = find_date(cells[day]) if 0 <= day < len(cells) else ""
        whole = f"Decision: {told}" + (f"\n\nRationale: {reasons}" if reasons else "")
        made = build_memory(
            MemoryType.DECISION,
            whole,
            at,
            SaidBy.TOOL,
            title=one_line(told, TITLE),
            choice=one_line(told, FIELD),
            valid_from=when,
            updated=when,
        )
        yield ImportedItem(
            key=keys.of(format_place(source, file.name), "decisions", told),
            place=at,
            memory=made,
            raw=" | ".join(cells),
        )


def _read_list(
    source: ImportSource,
    file: ImportFile,
    section: MarkdownSection,
    kind: MemoryType | None,
    when: str,
    keys: ImportKeys,
) -> Read:
    for item in list_items(section.lines, section.start):
        at = format_place(source, file.name, item.line)
        told = re.sub(r"^\[[ xX]\]\s+", "", item.text)
        reason = "struck out" if _STRUCK.match(told) else why_not_alone(told)
        if not reason and kind is MemoryType.FAILURE and PROGRESS.match(strip_markdown(told)):
            reason = "only says what was done"
        if reason:
            yield RejectedItem(place=at, reason=reason)
            continue
        found = kind or kind_of(strip_markdown(told))
        whole = "\n".join([told, *item.below]).strip()
        day = when or find_date(told)
        made = build_memory(found, whole, at, SaidBy.TOOL, valid_from=day, updated=day)
        yield ImportedItem(
            key=keys.of(format_place(source, file.name), section.title, told), place=at, memory=made, raw=whole
        )


def _insights(source: ImportSource, file: ImportFile, section: MarkdownSection, when: str, keys: ImportKeys) -> Read:
    """Of other sections, what calls itself an insight; the rest is told as one line."""
    taken = 0
    for number, words in find_paragraphs(section.lines, section.start):
        found = _INSIGHT.match(words)
        if found and not why_not_alone(found[1]):
            taken += 1
            at = format_place(source, file.name, number)
            made = build_memory(MemoryType.LEARNING, found[1], at, SaidBy.TOOL, valid_from=when, updated=when)
            yield ImportedItem(
                key=keys.of(format_place(source, file.name), section.title, found[1]), place=at, memory=made, raw=words
            )
    if any(text.strip() for text in section.lines) and not taken and section.level:
        name = one_line(section.title, 60)
        yield RejectedItem(
            place=format_place(source, file.name, section.line),
            reason=f"{name!r} tells where things stand, not what holds",
        )


def detect(path: str) -> float:
    """Sure of MEMORY.md beside memory/ or tasks/."""
    if os.path.isfile(path):
        return 0.4 if os.path.basename(path) in {"MEMORY.md", "lessons.md"} else 0.0
    has = [
        name
        for name in ("MEMORY.md", "memory/working-buffer.md", "tasks/lessons.md")
        if os.path.isfile(os.path.join(path, name))
    ]
    folder = os.path.isdir(os.path.join(path, "memory")) or os.path.isdir(os.path.join(path, "tasks"))
    return 0.9 if len(has) > 1 or ("MEMORY.md" in has and folder) else 0.0


OMOIOS = Importer(
    name="omoios",
    reads="MEMORY.md with memory/ and tasks/: decisions table, lessons, working buffer, daily logs",
    lies="MEMORY.md, memory/, tasks/lessons.md",
    detect=detect,
    read=read,
)
