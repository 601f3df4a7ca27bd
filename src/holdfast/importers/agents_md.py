"""CLAUDE.md, AGENTS.md and their kin: prose for agents, one candidate for each rule that stands by itself."""

import os
import re
from collections.abc import Iterator, Sequence

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.foreign_text import one_line, split_sentences, strip_codes, strip_markdown
from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, Read, RejectedItem
from holdfast.importers.markdown_outline import (
    MarkdownItem,
    MarkdownSection,
    find_paragraphs,
    front_texts,
    list_items,
    parse_page,
)
from holdfast.importers.read_files import ImportFile, format_place, read_all
from holdfast.importers.sentence_types import build_memory, kind_of, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

NAMES = frozenset(
    [
        "agents.md",
        "claude.md",
        "claude.local.md",
        "agents.override.md",
        "gemini.md",
        "agent.md",
        "copilot-instructions.md",
        ".cursorrules",
        ".windsurfrules",
        ".clinerules",
        "conventions.md",
        "global_rules.md",
    ]
)
ENDS = (".md", ".mdc", ".cursorrules", ".windsurfrules", ".clinerules", ".txt")
RULES = (
    ".claude/rules",
    ".cursor/rules",
    ".github/instructions",
    ".windsurf/rules",
    ".devin/rules",
    ".clinerules",
    ".cline/rules",
)
_RULE_KEYS = ("paths", "globs", "applyTo", "glob")
_IMPORT = re.compile(r"\s*@[\w~./-]+\s*$")
_NORMS = re.compile(r"\b(?:must|never|always|do not|don't|should|shall|prefer|avoid|required|use)\b", re.IGNORECASE)
# Sections that tell where things are, not how to do them.
_MAPS = re.compile(
    r"(?:table of contents|contents|toc|links|references|resources|directory|project structure"
    r"|file structure|repository structure|structure|layout|key files|quick reference)\b",
    re.IGNORECASE,
)
SHORTEST_SENTENCE = 24
ONLY_TOLD = "prose that lays nothing down"


def read(source: ImportSource) -> Read:
    """The rules of one file, or of a folder of rules."""
    keys = ImportKeys()
    for found in read_all(source, *ENDS, deepest=4):
        if isinstance(found, RejectedItem):
            yield found
        elif _is_wanted(found[0]):
            yield from read_rules(source, found[0], found[1], keys)


def _is_wanted(file: ImportFile) -> bool:
    """A file named outright counts; of a folder, what clients read, or all of it when it is one of rules."""
    name = (file.name or file.path).lower()
    inside = any(f"/{folder}/" in f"/{os.path.dirname(file.path)}/" for folder in RULES)
    return not file.name or os.path.basename(name) in NAMES or inside or name.endswith((".mdc", ".instructions.md"))


def read_rules(source: ImportSource, file: ImportFile, text: str, keys: ImportKeys) -> Read:
    """The rules of one text."""
    found = parse_page(strip_codes(text), file.name or file.path)
    paths = tuple(
        glob for key in _RULE_KEYS for glob in front_texts(found.front.get(key)) if glob not in {"**", "**/*", "*"}
    )
    above: list[str] = []
    for section in found.sections:
        if section.level:
            above[section.level - 1 :] = [section.title]
        where = " › ".join(filter(None, above[1:] or above))
        if number := next(_prose_lines(section), 0):
            yield RejectedItem(place=format_place(source, file.name, number), reason=ONLY_TOLD)
        for number, words, below in _texts(section):
            at = format_place(source, file.name, number)
            if reason := _why_unfit(words, section.title):
                yield RejectedItem(place=at, reason=reason)
                continue
            whole = "\n".join([words, *below]).strip()
            kind = kind_of(strip_markdown(words))
            if kind is MemoryType.DECISION or kind is MemoryType.ASSUMPTION:
                kind = MemoryType.LEARNING
            made = build_memory(
                kind, whole, at, SaidBy.TOOL, tags=_tags(section.title), paths=paths[:16],
                extra={"heading": one_line(where, 160)} if where else {},
            )  # fmt: skip
            key = keys.of(format_place(source, file.name), where, words)
            yield ImportedItem(key=key, place=at, memory=made, raw=f"{where}\n{whole}")


def _texts(section: MarkdownSection) -> Iterator[tuple[int, str, Sequence[str]]]:
    """The items of a section's lists, and the sentences of its prose that lay something down."""
    listed = [inner for item in list_items(section.lines, section.start) for inner in _leaf_items(item)]
    told: list[tuple[int, str, Sequence[str]]] = [(item.line, item.text, _nested_lines(item)) for item in listed]
    for number, words in find_paragraphs(section.lines, section.start):
        if _IMPORT.match(words):
            told.append((number, words, ()))
        told += [
            (number, sentence, ())
            for sentence in split_sentences(words)
            if _NORMS.search(sentence) and len(sentence) >= SHORTEST_SENTENCE and not sentence.rstrip().endswith(":")
        ]
    return iter(sorted(told, key=lambda each: each[0]))


def _prose_lines(section: MarkdownSection) -> Iterator[int]:
    """The lines of paragraphs of which no sentence lays something down."""
    for number, words in find_paragraphs(section.lines, section.start):
        if not _IMPORT.match(words) and not words.rstrip().endswith(":") and not _NORMS.search(words):
            yield number


def _leaf_items(item: MarkdownItem) -> list[MarkdownItem]:
    """An item, or those nested in it where it only leads to them."""
    inner = list_items(item.below, item.line + 1) if item.text.rstrip().endswith(":") else []
    return inner or [item]


def _nested_lines(item: MarkdownItem) -> list[str]:
    return [text for text in item.below if text.strip()]


def _why_unfit(words: str, heading: str) -> str:
    if _IMPORT.match(words):
        return "names another file: import that one by itself"
    if re.match(r"\[[ xX]\]\s", words):
        return "a task box, no rule"
    if _MAPS.match(strip_markdown(heading)):
        return "tells where things are, not what holds"
    return why_not_alone(words)


def _tags(heading: str) -> tuple[str, ...]:
    words = strip_markdown(heading).strip().lower()
    return (one_line(words, 40),) if words and len(words.split()) <= 3 else ()


def detect(path: str) -> float:
    """Sure of the names that clients read."""
    name = os.path.basename(path.rstrip("/")).lower()
    if os.path.isfile(path):
        if name in NAMES:
            return 0.95
        return (
            0.8
            if name.endswith((".mdc", ".instructions.md")) or any(f"/{folder}/" in path for folder in RULES)
            else 0.0
        )
    return 0.85 if any(path.rstrip("/").endswith(folder) for folder in RULES) else 0.0


AGENTS_MD = Importer(
    name="agents-md",
    reads="instruction files for agents: CLAUDE.md, AGENTS.md, GEMINI.md, Copilot's and Cursor's rules",
    lies="AGENTS.md, CLAUDE.md, .claude/rules, .cursor/rules, .github/copilot-instructions.md, ~/.claude/CLAUDE.md",
    detect=detect,
    read=read,
)
