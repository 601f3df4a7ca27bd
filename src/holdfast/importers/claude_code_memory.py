"""Claude Code's own memory: an index `MEMORY.md`, and one file for each thing it remembers."""

import os
import re
from collections.abc import Mapping
from typing import Any

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.foreign_text import FIELD, TITLE, one_line, parse_time, strip_codes, strip_markdown
from holdfast.importers.import_values import ImportedItem, Importer, ImportLink, ImportSource, Read, RejectedItem
from holdfast.importers.markdown_outline import find_paragraphs, list_items, parse_page, split_front
from holdfast.importers.read_files import FileUnreadable, ImportFile, find_files, format_place, read_all, read_text
from holdfast.importers.sentence_types import build_memory, kind_of, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

INDEX = "memory.md"
TYPES = {
    "user": MemoryType.PATTERN,
    "feedback": MemoryType.PATTERN,
    "project": MemoryType.LEARNING,
    "reference": MemoryType.LEARNING,
}
_POINTER = re.compile(r"\s*\[([^\]]{1,200})\]\(([^)\s]{1,200}\.md)\)\s*(?:[-–—:]+\s*(.*))?$")
WIKI = re.compile(r"\[\[([^\[\]|#]{1,120})(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")


def read(source: ImportSource) -> Read:
    """The topic files of a folder, then what the index says by itself."""
    keys = ImportKeys()
    index: tuple[ImportFile, str] | None = None
    names: set[str] = set()
    for found in read_all(source, ".md", deepest=3):
        if isinstance(found, RejectedItem):
            yield found
            continue
        file, words = found
        name = file.name or os.path.basename(file.path)
        if os.path.basename(name).lower() == INDEX:
            index = index or found
            continue
        names.add(name)
        yield _topic(source, file, words, keys)
    if index:
        yield from _index(source, index[0], index[1], names, keys)


def _topic(source: ImportSource, file: ImportFile, words: str, keys: ImportKeys) -> ImportedItem | RejectedItem:
    front, start, rest = split_front(strip_codes(words))
    at = format_place(source, file.name, start + 1)
    rest = rest.strip()
    if reason := why_not_alone(" ".join(rest.split())[:2000]):
        return RejectedItem(place=at, reason=reason)
    given = front.get("metadata")
    meta: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    if meta.get("holdfast"):
        return RejectedItem(place=at, reason="ours: `holdfast render --claude-memory` wrote it")
    own = str(meta.get("type", "") or front.get("type", "")).strip().lower()
    title = one_line(str(front.get("description", "")), TITLE)
    kind = TYPES.get(own) or kind_of(strip_markdown(rest))
    stem = os.path.splitext(os.path.basename(file.name or file.path))[0]
    name = str(front.get("name", "")) or stem
    extra = {"memory_type": own, "session": str(meta.get("originSessionId", "") or front.get("originSessionId", ""))}
    fields: dict[str, object] = {"extra": {key: one_line(value, 120) for key, value in extra.items() if value}}
    if title:
        fields["title"] = title
        if kind is MemoryType.LEARNING:
            fields["fact"] = one_line(str(front.get("description", "")), FIELD)
    if own == "reference":
        fields["category"] = "reference"
    when = parse_time(front.get("updated") or front.get("modified") or meta.get("updated"))
    return ImportedItem(
        key=keys.own(format_place(source, file.name)), place=at, raw=words, names=(name, stem),
        memory=build_memory(kind, rest, at, SaidBy.AGENT, **fields, updated=when, valid_from=when[:10]),
        links=tuple(ImportLink(kind="links_to", to=found.strip()) for found in dict.fromkeys(WIKI.findall(rest))),
    )  # fmt: skip


def _index(source: ImportSource, file: ImportFile, words: str, names: set[str], keys: ImportKeys) -> Read:
    """Lines of the index: those that point to a file are that file's; others are memories by themselves."""
    for section in parse_page(strip_codes(words), file.name).sections:
        for number, _ in find_paragraphs(section.lines, section.start):
            yield RejectedItem(place=format_place(source, file.name, number), reason="prose between the index's lines")
        for item in list_items(section.lines, section.start):
            at = format_place(source, file.name, item.line)
            pointer = _POINTER.match(item.text)
            if pointer and os.path.normpath(pointer[2]) in names:
                continue
            told = f"{pointer[1]}: {pointer[3]}" if pointer and pointer[3] else item.text
            if pointer and not pointer[3]:
                yield RejectedItem(place=at, reason=f"points to {pointer[2]!r}, which is not there")
                continue
            whole = "\n".join([told, *item.below]).strip()
            if reason := why_not_alone(told):
                yield RejectedItem(place=at, reason=reason)
                continue
            kind = kind_of(strip_markdown(told))
            made = build_memory(
                kind, whole, at, SaidBy.AGENT, extra={"heading": one_line(section.title, 120)} if section.title else {}
            )
            key = keys.of(format_place(source, file.name), section.title, told)
            yield ImportedItem(key=key, place=at, raw=f"{section.title}\n{whole}", memory=made)


def detect(path: str) -> float:
    """Sure of a folder `memory` with an index, or with files of its form."""
    if os.path.isfile(path):
        return 0.9 if _is_topic(path) else 0.0
    names = {name.lower() for name in _names(path)}
    if "memory" in names and "tasks" in names:
        return 0.0
    inside = "/projects/" in path or "agent-memory" in path
    topics = [
        file.path
        for file in find_files(ImportSource(path=path, label=""), ".md", deepest=2)
        if isinstance(file, ImportFile)
    ][:8]
    typed = any(map(_is_topic, topics))
    if INDEX in names:
        return 0.95 if inside or typed else 0.5
    return 0.7 if typed else 0.0


def _is_topic(path: str) -> bool:
    try:
        front, _, _ = split_front(read_text(path)[:20_000])
    except FileUnreadable:
        return False
    meta = front.get("metadata")
    own = meta.get("type") if isinstance(meta, Mapping) else front.get("type")
    return own in TYPES and "name" in front


def _names(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


CLAUDE_MEMORY = Importer(
    name="claude-memory",
    reads="Claude Code's auto-memory: MEMORY.md and its topic files",
    lies="~/.claude/projects/<project>/memory, .claude/agent-memory/<agent>",
    detect=detect,
    read=read,
)
