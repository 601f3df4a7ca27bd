"""CLAUDE.md, AGENTS.md and their kin: prose for agents, one candidate for each rule that stands by itself."""

import os
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.foreign_text import FIELD, TITLE, one_line, strip_codes, strip_markdown
from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, Read, RejectedItem
from holdfast.importers.instruction_rules import InstructionRule, SectionCommands, read_section
from holdfast.importers.markdown_outline import MarkdownSection, find_paragraphs, front_texts, parse_page
from holdfast.importers.read_files import ImportFile, format_place, read_all
from holdfast.importers.sentence_types import build_memory, kind_of, title_of, why_not_alone
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
# Sections that tell where things are, not how to do them.
_MAPS = re.compile(
    r"\b(?:contents|toc|links|references|resources|director(?:y|ies)|structure|layout|(?:key|important|config) files"
    r"|overview|quick reference|architecture|(?:code|source|project) organi[sz]ation"
    r"|tech(?:nology)? stack|glossary|terminology"
    r"|about|introduction|background|history|components?)\b",
    re.IGNORECASE,
)
ONLY_TOLD = "prose that lays nothing down"
ONLY_DESCRIBES = "describes something, lays nothing down"
NAMES_FILE = "names another file: import that one by itself"


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
        yield from _read_section(_SectionPlace(source, file, keys, tuple(above), paths), section)


class _SectionPlace(NamedTuple):
    """Where a section stands: its file, the headings above it, the paths it is for."""

    source: ImportSource
    file: ImportFile
    keys: ImportKeys
    above: tuple[str, ...]
    paths: tuple[str, ...]

    @property
    def where(self) -> str:
        """The headings above, without the file's own title."""
        return " › ".join(filter(None, self.above[1:] or self.above))

    def at(self, line: int) -> str:
        """A line, as people are told of it."""
        return format_place(self.source, self.file.name, line)

    def key(self, words: str) -> str:
        """By what a rule is known when the file is imported again."""
        return self.keys.of(format_place(self.source, self.file.name), self.where, words)


def _read_section(place: _SectionPlace, section: MarkdownSection) -> Read:
    maps = bool(_MAPS.search(strip_markdown(section.title)))
    found = read_section(section, only_strict=maps)
    if number := next(_prose_lines(section, {rule.line for rule in found.rules}), 0):
        yield RejectedItem(place=place.at(number), reason=ONLY_TOLD)
    for line, words in found.unfit:
        yield RejectedItem(place=place.at(line), reason=_why_unfit(words, maps=maps))
    for number, words in find_paragraphs(section.lines, section.start):
        if _IMPORT.match(words):
            yield RejectedItem(place=place.at(number), reason=NAMES_FILE)
    for rule in found.rules:
        if reason := why_not_alone(rule.text.rstrip(" :")):
            yield RejectedItem(place=place.at(rule.line), reason=reason)
        else:
            yield _make_rule(place, section, rule)
    if found.commands:
        yield _make_commands(place, found.commands)


def _make_rule(place: _SectionPlace, section: MarkdownSection, rule: InstructionRule) -> ImportedItem:
    whole = "\n".join([rule.text, *rule.details]).strip()
    kind = kind_of(strip_markdown(rule.text))
    if kind not in {MemoryType.INVARIANT, MemoryType.PATTERN, MemoryType.FAILURE}:
        kind = MemoryType.PATTERN if rule.binds else MemoryType.LEARNING
    subject = " › ".join(filter(None, (place.where, rule.subject.strip(" :"))))
    made = build_memory(
        kind, whole, place.at(rule.line), SaidBy.TOOL, title=title_of(rule.text), tags=_tags(section.title),
        paths=place.paths[:16],
        extra={"heading": one_line(subject, 160)} if subject else {},
    )  # fmt: skip
    return ImportedItem(key=place.key(rule.text), place=place.at(rule.line), memory=made, raw=f"{place.where}\n{whole}")


def _make_commands(place: _SectionPlace, commands: SectionCommands) -> ImportedItem:
    """What a section says to type, as one learning: its heading says what for."""
    whole, where = "\n".join(commands.lines), place.where or "this project"
    typed = [
        line.strip() for line in commands.lines if not line.strip().startswith(("```", "~~~", "#")) and line.strip()
    ]
    title, tags = one_line(f"Commands: {where}", TITLE), _tags(place.above[-1] if place.above else "")
    made = build_memory(
        MemoryType.LEARNING, whole, place.at(commands.line), SaidBy.TOOL, tags=tags,
        paths=place.paths[:16], title=title, fact=one_line(f"{where}: " + "; ".join(typed), FIELD),
        extra={"heading": one_line(where, 160)},
    )  # fmt: skip
    return ImportedItem(
        key=place.key("commands"), place=place.at(commands.line), memory=made, raw=f"{place.where}\n{whole}"
    )


def _prose_lines(section: MarkdownSection, taken: Collection[int]) -> Iterator[int]:
    """The lines of paragraphs of which no sentence lays something down."""
    for number, words in find_paragraphs(section.lines, section.start):
        if number not in taken and not _IMPORT.match(words) and not words.rstrip().endswith(":"):
            yield number


def _why_unfit(words: str, *, maps: bool) -> str:
    if _IMPORT.match(words):
        return NAMES_FILE
    if re.match(r"\[[ xX]\]\s", words):
        return "a task box, no rule"
    return "tells where things are, not what holds" if maps else why_not_alone(words) or ONLY_DESCRIBES


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
