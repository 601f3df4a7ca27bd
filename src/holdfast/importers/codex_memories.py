"""Codex's own memories: raw memories by thread, the registry they are merged into, summaries of rollouts, notes."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.core.value import Value
from holdfast.importers.foreign_text import fold_text, one_line, parse_time, strip_codes, strip_markdown
from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, Read, RejectedItem
from holdfast.importers.markdown_outline import MarkdownSection, find_paragraphs, list_items, parse_page
from holdfast.importers.read_files import ImportFile, format_place, read_all
from holdfast.importers.sentence_types import build_memory, kind_of, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

KINDS: Mapping[str, MemoryType] = {
    "reusable knowledge": MemoryType.LEARNING,
    "failures and how to do differently": MemoryType.FAILURE,
    "preference signals": MemoryType.PATTERN,
    "user preferences": MemoryType.PATTERN,
    "preferences": MemoryType.PATTERN,
    "general tips": MemoryType.LEARNING,
    "user profile": MemoryType.LEARNING,
    "user correction / preference evidence": MemoryType.PATTERN,
}
_HEAD = re.compile(r"\s{0,3}\**([A-Z][A-Za-z /'-]{3,60}?)\**\s*:\**\s*$")
_META = re.compile(
    r"(thread_id|updated_at|cwd|rollout_path|git_branch|task|task_group|task_outcome|scope|applies_to)\s*:\s*(.*)$"
)
_THREAD = re.compile(r"(?:Thread|Session)\s+`?([\w-]{6,64})`?")
_TASKS = re.compile(r"(?:\s?\[Task \d{1,4}\])+$")


class CodexPart(Value):
    """A stretch below one heading or lead, with what the lines above it said."""

    name: str
    line: int
    lines: tuple[str, ...]
    meta: Mapping[str, str]


def read(source: ImportSource) -> Read:
    """Everything in the folder, the registry first: what is merged there is not brought twice."""
    keys = ImportKeys()
    seen: set[str] = set()
    found = list(read_all(source, ".md", deepest=5))
    found.sort(key=lambda each: _order(each) if isinstance(each, tuple) else 0)
    for each in found:
        if isinstance(each, RejectedItem):
            yield each
            continue
        file, words = each
        name = file.name or os.path.basename(file.path)
        if name.startswith("skills/") or name == "README.md":
            yield RejectedItem(place=format_place(source, file.name), reason="a skill, no memory")
        elif name.startswith("extensions/"):
            yield from _note(source, file, words, keys)
        else:
            yield from _read_parts(source, file, words, keys, seen)


def _order(each: tuple[ImportFile, str]) -> int:
    name = each[0].name
    return 0 if name == "MEMORY.md" else 1 if name == "raw_memories.md" else 2 if "/" in name else 3


def _read_parts(source: ImportSource, file: ImportFile, words: str, keys: ImportKeys, seen: set[str]) -> Read:
    for part in split_parts(strip_codes(words), file.name):
        if source.workspace and not _ran_here(part.meta, source.workspace):
            if list_items(part.lines):
                where = part.meta.get("cwd") or part.meta.get("applies_to", "")
                yield RejectedItem(
                    place=format_place(source, file.name, part.line),
                    reason=f"of another folder: {one_line(where, 100)}",
                )
            continue
        kind = KINDS.get(fold_text(part.name))
        for item in list_items(part.lines, part.line):
            at = format_place(source, file.name, item.line)
            told = _TASKS.sub("", item.text.rstrip())
            if kind is None:
                yield RejectedItem(place=at, reason=f"below {part.name!r}: what was done, not what holds")
            elif reason := why_not_alone(told):
                yield RejectedItem(place=at, reason=reason)
            elif " ".join(strip_markdown(told).casefold().split()) in seen:
                yield RejectedItem(place=at, reason="stands in this source before")
            else:
                seen.add(" ".join(strip_markdown(told).casefold().split()))
                yield _build_import(source, file, part, kind, (item.line, told, item.below), keys)


def _build_import(
    source: ImportSource,
    file: ImportFile,
    part: CodexPart,
    kind: MemoryType,
    told: tuple[int, str, Sequence[str]],
    keys: ImportKeys,
) -> ImportedItem:
    number, words, below = told
    at = format_place(source, file.name, number)
    when = parse_time(part.meta.get("updated_at"))
    extra = {
        "session": part.meta.get("thread_id", ""),
        "task": part.meta.get("task", ""),
        "outcome": part.meta.get("task_outcome", ""),
    }
    whole = "\n".join([words, *below]).strip()
    made = build_memory(
        kind, whole, at, SaidBy.AGENT, updated=when, valid_from=when[:10],
        extra={name: one_line(value, 160) for name, value in extra.items() if value},
    )  # fmt: skip
    thread = part.meta.get("thread_id", "")
    return ImportedItem(
        key=keys.of(thread or format_place(source, file.name), part.name, words), place=at, raw=whole, memory=made
    )


def split_parts(text: str, name: str) -> Iterator[CodexPart]:
    """The stretches of a text: below its headings, and below leads like `Reusable knowledge:`."""
    meta: dict[str, str] = {}
    for section in parse_page(text, name).sections:
        if thread := _THREAD.search(section.title):
            meta = {"thread_id": thread[1]}
        if section.level == 1 and section.title.startswith("Task Group"):
            meta = {"task_group": section.title.partition(":")[2].strip()}
        if section.title.startswith("Task ") and ":" in section.title:
            meta = {**meta, "task": section.title.partition(":")[2].strip()}
        yield from _leads(section, meta)


def _leads(section: MarkdownSection, meta: dict[str, str]) -> Iterator[CodexPart]:
    held: list[str] = []
    name, begun = section.title, section.start
    for number, text in enumerate(section.lines, section.start):
        if found := _META.match(text):
            meta[found[1]] = found[2].strip().removeprefix("\\\\?\\")
        elif lead := _HEAD.match(text):
            yield CodexPart(name=name, line=begun, lines=tuple(held), meta=dict(meta))
            name, held, begun = lead[1], [], number + 1
            continue
        held.append(text)
    yield CodexPart(name=name, line=begun, lines=tuple(held), meta=dict(meta))


def _ran_here(meta: Mapping[str, str], workspace: str) -> bool:
    """Whether a thread ran in the workspace; what names no folder counts for all."""
    told = meta.get("cwd", "")
    applies = re.search(r"cwd=([^;,\s]+)", meta.get("applies_to", ""))
    where = told or (applies[1] if applies else "")
    if not where:
        return True
    return os.path.normpath(where) == workspace or os.path.normpath(where).startswith(workspace + os.sep)


def _note(source: ImportSource, file: ImportFile, words: str, keys: ImportKeys) -> Read:
    told = " ".join(text for _, text in find_paragraphs(strip_codes(words).split("\n"))) or strip_codes(words)
    at = format_place(source, file.name, 1)
    if reason := why_not_alone(told[:2000]):
        yield RejectedItem(place=at, reason=reason)
        return
    stamp = parse_time(re.sub(r"T(\d\d)-(\d\d)-(\d\d)", r"T\1:\2:\3", os.path.basename(file.name)[:19]))
    made = build_memory(
        kind_of(strip_markdown(told)),
        strip_codes(words).strip(),
        at,
        SaidBy.AGENT,
        updated=stamp,
        valid_from=stamp[:10],
    )
    yield ImportedItem(key=keys.own(format_place(source, file.name)), place=at, raw=words, memory=made)


def detect(path: str) -> float:
    """Sure of a folder with raw memories or summaries of rollouts."""
    if os.path.isfile(path):
        return 0.95 if os.path.basename(path) in {"raw_memories.md", "memory_summary.md"} else 0.0
    has = [
        name
        for name in ("raw_memories.md", "memory_summary.md", "rollout_summaries")
        if os.path.lexists(os.path.join(path, name))
    ]
    return 0.97 if has else 0.0


CODEX = Importer(
    name="codex-memories",
    reads="Codex's own memories: MEMORY.md, raw_memories.md, memory_summary.md, rollout summaries, notes",
    lies="~/.codex/memories",
    detect=detect,
    read=read,
)
