"""Markdown, reStructuredText and AsciiDoc as sections, lists and tables, each with its line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.value import Value
from holdfast.importers.foreign_text import strip_markdown, without_comments
from holdfast.vault import frontmatter

Front = Mapping[str, Any]
MOST_SECTIONS = 5000
LONGEST_LINE = 8000
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ATX = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_ADOC = re.compile(r"(={1,6})\s+(\S.*)$")
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
_ITEM = re.compile(r"(\s*)([-*+•‣]|\d{1,3}[.)])\s+(.*)$")
_FLAT = re.compile(r"([A-Za-z][\w .-]{0,60}?)\s*:\s*(.*)$")
_ROW = re.compile(r"\s*\|(.*)\|\s*$")
_RULE = re.compile(r"\s*\|?[\s:|+-]+\|?\s*$")


class MarkdownSection(Value):
    """A heading and the lines below it, to the next heading. The text before the first is a section of level 0.

    `line` is the heading's, `start` that of the first line below it.
    """

    level: int
    title: str
    line: int
    start: int
    lines: tuple[str, ...] = ()


class MarkdownItem(Value):
    """One item of a list: its line, its words, and the lines nested below it."""

    line: int
    text: str
    below: tuple[str, ...] = ()
    numbered: bool = False


class MarkdownPage(Value):
    """A text in its parts. `front` is its frontmatter."""

    front: Front
    sections: tuple[MarkdownSection, ...]


def parse_page(text: str, name: str = "") -> MarkdownPage:
    """A text in its parts, by the ending of its name."""
    front, start, rest = split_front(text)
    lines = [_bounded_line(text) for text in without_comments(rest).split("\n")]
    if name.lower().endswith(".rst"):
        found = _sections(lines, start, _rst_headings(lines))
    elif name.lower().endswith((".adoc", ".asciidoc")):
        found = _sections(lines, start, _adoc_headings(lines))
    else:
        found = _sections(lines, start, _headings(lines))
    return MarkdownPage(front=front, sections=tuple(found))


def _bounded_line(text: str) -> str:
    """A line that patterns can be tried on; longer ones are no prose."""
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"


def split_front(text: str) -> tuple[Front, int, str]:
    """The frontmatter, the number of lines it takes, and the text below it."""
    text = text.removeprefix("\ufeff")
    if not text.startswith("---\n"):
        return {}, 0, text
    end = re.compile(r"^---[ \t]*$", re.MULTILINE).search(text, 4)
    if end is None:
        return {}, 0, text
    block = text[4 : end.start()]
    return parse_front(block), text.count("\n", 0, end.end()) + 1, text[end.end() :].removeprefix("\n")


def parse_front(block: str) -> Front:
    """A block of YAML as plain values; what is no YAML (or too much of it) line by line."""
    try:
        return {key: _value(node) for key, (_, node) in frontmatter.read_block(block).pairs.items()}
    except frontmatter.BadFrontmatter:
        found = (_FLAT.match(line) for line in block[: frontmatter.MAX_BLOCK].split("\n"))
        return {pair[1]: pair[2].strip().strip("\"'") for pair in found if pair and pair[2]}


def _value(node: frontmatter.Node) -> Any:
    if isinstance(node, frontmatter.Scalar):
        return node.text
    if isinstance(node, frontmatter.Sequence):
        return [_value(item) for item in node.items]
    return {key: _value(value) for key, (_, value) in node.pairs.items()}


def front_texts(value: Any) -> list[str]:
    """A frontmatter's value as a list of words."""
    if isinstance(value, str):
        return [part.strip() for part in value.strip("[]").split(",") if part.strip()]
    if isinstance(value, list | tuple):
        return [str(item).strip() for item in value if isinstance(item, str | int | float) and str(item).strip()]
    return []


def sections_under(sections: Sequence[MarkdownSection], at: int) -> list[MarkdownSection]:
    """The sections inside the one at a place."""
    inside = []
    for section in sections[at + 1 :]:
        if section.level <= sections[at].level:
            break
        inside.append(section)
    return inside


def section_text(sections: Sequence[MarkdownSection], at: int) -> str:
    """A section's text with all inside it, headings too."""
    parts = ["\n".join(sections[at].lines)]
    parts += [f"{'#' * each.level} {each.title}\n" + "\n".join(each.lines) for each in sections_under(sections, at)]
    return "\n".join(parts).strip("\n")


def list_items(lines: Sequence[str], first: int = 1) -> list[MarkdownItem]:
    """The outer items of the lists in some lines; `first` is the number of the first line."""
    found: list[_OpenItem] = []
    indent, fenced, blank = -1, False, False
    for number, text in enumerate(lines, first):
        if _FENCE.match(text) and not _ITEM.match(text):
            # Code that stands by itself behind a list is no part of it.
            indent = -1 if not fenced and blank and text[: indent + 1].strip() else indent
            fenced = not fenced
        match = None if fenced else _ITEM.match(text.expandtabs(4))
        if match and (indent < 0 or len(match[1]) <= indent):
            indent, blank = len(match[1]), False
            found.append(_OpenItem(number, match[3], match[2][0].isdigit()))
        elif indent >= 0:
            inside = fenced or text[: indent + 1].strip() == "" or not blank
            if text.strip() and not inside:
                indent = -1
                continue
            blank = not text.strip()
            found[-1].add(text, nested=bool(match))
    return [begun.item() for begun in found]


class _OpenItem:
    """An item whose lines are still read."""

    def __init__(self, line: int, text: str, numbered: bool) -> None:
        self._line = line
        self._numbered = numbered
        self._words = [text]
        self._below: list[str] = []

    def add(self, text: str, *, nested: bool) -> None:
        """One more line: of the item's own words, or below them."""
        if nested or self._below or not text.strip():
            self._below.append(text)
        else:
            self._words.append(text.strip())

    def item(self) -> MarkdownItem:
        """The item, whole."""
        return MarkdownItem(
            line=self._line, text=" ".join(self._words), below=tuple(self._below), numbered=self._numbered
        )


def find_paragraphs(lines: Sequence[str], first: int = 1) -> Iterator[tuple[int, str]]:
    """The paragraphs of prose with their lines: no lists, no code, no tables, no quotes' marks."""
    held: list[str] = []
    begun, fenced, listed = first, False, False
    for number, text in enumerate([*lines, ""], first):
        if _FENCE.match(text):
            fenced = not fenced
        blank = not text.strip()
        prose = not fenced and not _FENCE.match(text) and not _ROW.match(text) and not _ITEM.match(text)
        if _ITEM.match(text):
            listed = True
        elif blank or not text.startswith(" "):
            listed = listed and not blank
        if prose and not blank and not listed:
            begun = begun if held else number
            held.append(text.strip().removeprefix(">").strip())
        elif held:
            yield begun, " ".join(held)
            held = []


def table_rows(lines: Sequence[str], first: int = 1) -> list[tuple[int, list[str]]]:
    """The rows of the first table: cells as people read them, the head first."""
    found: list[tuple[int, list[str]]] = []
    for number, text in enumerate(lines, first):
        match = _ROW.match(text)
        if match and not _RULE.fullmatch(text):
            found.append((number, [strip_markdown(cell) for cell in re.split(r"(?<!\\)\|", match[1])]))
        elif not match and found:
            break
    return found


def _sections(
    lines: Sequence[str], start: int, headings: Iterator[tuple[int, int, int, str]]
) -> Iterator[MarkdownSection]:
    level, title, at, begin = 0, "", start + 1, 0
    for count, (first, after, depth, words) in enumerate(headings):
        yield MarkdownSection(
            level=level, title=title, line=at, start=start + begin + 1, lines=tuple(lines[begin:first])
        )
        level, title, at, begin = depth, words, start + first + 1, after
        if count > MOST_SECTIONS:
            break
    yield MarkdownSection(level=level, title=title, line=at, start=start + begin + 1, lines=tuple(lines[begin:]))


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    fence = ""
    for at, text in enumerate(lines):
        mark = re.match(r"\s{0,3}(`{3,}|~{3,})", text)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        if fence:
            continue
        if found := _ATX.match(text):
            yield at, at + 1, len(found[1]), strip_markdown(found[2])
        elif at + 1 < len(lines) and text.strip() and re.fullmatch(r"(={3,}|-{3,})\s*", lines[at + 1]):
            before = lines[at - 1].strip() if at else ""
            if not before and not _ITEM.match(text) and not _ROW.match(text):
                yield at, at + 2, 1 if lines[at + 1][0] == "=" else 2, strip_markdown(text)


def _rst_headings(lines: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    order: list[str] = []
    for at, text in enumerate(lines[:-1]):
        mark = _ADORNED.fullmatch(lines[at + 1])
        if not mark or not text.strip() or text[:1] == " " or _ADORNED.fullmatch(text):
            continue
        if len(lines[at + 1].strip()) < min(len(text.strip()), 3) or text.startswith(("..", "+-")):
            continue
        over = at > 0 and lines[at - 1].strip() == lines[at + 1].strip()
        if not over and at and lines[at - 1].strip():
            continue
        if mark[1] not in order:
            order.append(mark[1])
        yield at - 1 if over else at, at + 2, order.index(mark[1]) + 1, strip_markdown(text)


def _adoc_headings(lines: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    fenced = False
    for at, text in enumerate(lines):
        if re.fullmatch(r"(-{4,}|\.{4,}|={4,})\s*", text):
            fenced = not fenced
        elif not fenced and (found := _ADOC.match(text) or _ATX.match(text)):
            yield at, at + 1, len(found[1]), strip_markdown(found[2])
