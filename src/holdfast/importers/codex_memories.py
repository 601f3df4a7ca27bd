"""Codex's own memories: raw memories by thread, the registry they are merged into, summaries of rollouts, notes."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.core.value import Value
from holdfast.importers.foreign_text import bare, folded, line, plain, time_of
from holdfast.importers.import_values import Imported, Importer, Read, Rejected, Source
from holdfast.importers.markdown_outline import Section, items, page, paragraphs
from holdfast.importers.read_files import Found, place, read_all
from holdfast.importers.sentence_types import kind_of, lacks, memory
from holdfast.importers.stable_keys import Keys

NAMES = ("raw_memories.md", "memory_summary.md", "MEMORY.md")
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


class Part(Value):
    """A stretch below one heading or lead, with what the lines above it said."""

    name: str
    line: int
    lines: tuple[str, ...]
    meta: Mapping[str, str]


def read(source: Source) -> Read:
    """Everything in the folder, the registry first: what is merged there is not brought twice."""
    keys = Keys()
    seen: set[str] = set()
    found = list(read_all(source, ".md", deepest=5))
    found.sort(key=lambda each: _order(each) if isinstance(each, tuple) else 0)
    for each in found:
        if isinstance(each, Rejected):
            yield each
            continue
        file, words = each
        name = file.name or os.path.basename(file.path)
        if name.startswith("skills/") or name == "README.md":
            yield Rejected(place=place(source, file.name), reason="a skill, no memory")
        elif name.startswith("extensions/"):
            yield from _note(source, file, words, keys)
        else:
            yield from _parts(source, file, words, keys, seen)


def _order(each: tuple[Found, str]) -> int:
    name = each[0].name
    return 0 if name == "MEMORY.md" else 1 if name == "raw_memories.md" else 2 if "/" in name else 3


def _parts(source: Source, file: Found, words: str, keys: Keys, seen: set[str]) -> Read:
    for part in parts(plain(words), file.name):
        if source.workspace and not _here(part.meta, source.workspace):
            if items(part.lines):
                where = part.meta.get("cwd") or part.meta.get("applies_to", "")
                yield Rejected(
                    place=place(source, file.name, part.line), reason=f"of another folder: {line(where, 100)}"
                )
            continue
        kind = KINDS.get(folded(part.name))
        for item in items(part.lines, part.line):
            at = place(source, file.name, item.line)
            told = _TASKS.sub("", item.text.rstrip())
            if kind is None:
                yield Rejected(place=at, reason=f"below {part.name!r}: what was done, not what holds")
            elif reason := lacks(told):
                yield Rejected(place=at, reason=reason)
            elif " ".join(bare(told).casefold().split()) in seen:
                yield Rejected(place=at, reason="stands in this source before")
            else:
                seen.add(" ".join(bare(told).casefold().split()))
                yield _imported(source, file, part, kind, (item.line, told, item.below), keys)


def _imported(
    source: Source, file: Found, part: Part, kind: MemoryType, told: tuple[int, str, Sequence[str]], keys: Keys
) -> Imported:
    number, words, below = told
    at = place(source, file.name, number)
    when = time_of(part.meta.get("updated_at"))
    extra = {
        "session": part.meta.get("thread_id", ""),
        "task": part.meta.get("task", ""),
        "outcome": part.meta.get("task_outcome", ""),
    }
    whole = "\n".join([words, *below]).strip()
    made = memory(
        kind, whole, at, SaidBy.AGENT, updated=when, valid_from=when[:10],
        extra={name: line(value, 160) for name, value in extra.items() if value},
    )  # fmt: skip
    thread = part.meta.get("thread_id", "")
    return Imported(key=keys.of(thread or place(source, file.name), part.name, words), place=at, raw=whole, memory=made)


def parts(text: str, name: str) -> Iterator[Part]:
    """The stretches of a text: below its headings, and below leads like `Reusable knowledge:`."""
    meta: dict[str, str] = {}
    for section in page(text, name).sections:
        if thread := _THREAD.search(section.title):
            meta = {"thread_id": thread[1]}
        if section.level == 1 and section.title.startswith("Task Group"):
            meta = {"task_group": section.title.partition(":")[2].strip()}
        if section.title.startswith("Task ") and ":" in section.title:
            meta = {**meta, "task": section.title.partition(":")[2].strip()}
        yield from _leads(section, meta)


def _leads(section: Section, meta: dict[str, str]) -> Iterator[Part]:
    held: list[str] = []
    name, begun = section.title, section.start
    for number, text in enumerate(section.lines, section.start):
        if found := _META.match(text):
            meta[found[1]] = found[2].strip().removeprefix("\\\\?\\")
        elif lead := _HEAD.match(text):
            yield Part(name=name, line=begun, lines=tuple(held), meta=dict(meta))
            name, held, begun = lead[1], [], number + 1
            continue
        held.append(text)
    yield Part(name=name, line=begun, lines=tuple(held), meta=dict(meta))


def _here(meta: Mapping[str, str], workspace: str) -> bool:
    """Whether a thread ran in the workspace; what names no folder counts for all."""
    told = meta.get("cwd", "")
    applies = re.search(r"cwd=([^;,\s]+)", meta.get("applies_to", ""))
    where = told or (applies[1] if applies else "")
    if not where:
        return True
    return os.path.normpath(where) == workspace or os.path.normpath(where).startswith(workspace + os.sep)


def _note(source: Source, file: Found, words: str, keys: Keys) -> Read:
    told = " ".join(text for _, text in paragraphs(plain(words).split("\n"))) or plain(words)
    at = place(source, file.name, 1)
    if reason := lacks(told[:2000]):
        yield Rejected(place=at, reason=reason)
        return
    stamp = time_of(re.sub(r"T(\d\d)-(\d\d)-(\d\d)", r"T\1:\2:\3", os.path.basename(file.name)[:19]))
    made = memory(kind_of(bare(told)), plain(words).strip(), at, SaidBy.AGENT, updated=stamp, valid_from=stamp[:10])
    yield Imported(key=keys.own(place(source, file.name)), place=at, raw=words, memory=made)


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
