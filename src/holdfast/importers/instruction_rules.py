"""The rules of one section of an instruction file: what binds, with its reason, its details and its code."""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.value import Value, replace
from holdfast.importers.binding_words import does_bind, is_command, is_strict, states_fact
from holdfast.importers.foreign_text import split_sentences
from holdfast.importers.markdown_outline import (
    MarkdownItem,
    MarkdownSection,
    find_paragraphs,
    list_items,
    table_rows,
)

SHORTEST_SENTENCE = 12
MOST_REASONS = 2
# Lists nested deeper are no rules that people wrote.
DEEPEST = 8
_FENCE = re.compile(r"(`{3,}|~{3,})\s*([\w-]*)")
_SHELLS = frozenset(
    {"sh", "bash", "zsh", "shell", "console", "fish", "powershell", "ps1", "cmd", "terminal", "shell-session"}
)
_TREE = re.compile(r"[├└│]")
_DOING = re.compile(
    r"\b(?:commands?|build|run|running|tests?|testing|setup|install\w*|lint\w*|develop\w*|usage|deploy\w*|start\w*|workflow)\b",
    re.IGNORECASE,
)
_BOX = re.compile(r"\[[ xX]\]\s")


class InstructionRule(Value):
    """A rule or fact, where it stands, and what belongs to it: reasons, items nested in it, its code."""

    line: int
    text: str
    binds: bool = True
    details: tuple[str, ...] = ()
    # What leads to it, where it stands below a line that ends with a colon.
    subject: str = ""


class SectionCommands(Value):
    """What a section says to type, as one thing."""

    line: int
    lines: tuple[str, ...]


class _Block(Value):
    """A paragraph, an item, a piece of code or a row of a table, where it stands."""

    line: int
    kind: str
    text: str
    item: MarkdownItem | None = None
    lines: tuple[str, ...] = ()


Unfit = tuple[int, str]


class SectionRules(Value):
    """What was found in a section."""

    rules: tuple[InstructionRule, ...] = ()
    commands: SectionCommands | None = None
    # Items that bind nobody, with their lines.
    unfit: tuple[Unfit, ...] = ()


def read_section(section: MarkdownSection, *, only_strict: bool = False) -> SectionRules:
    """The rules of a section. `only_strict`: its lists tell where things are, and only strict items count."""
    found = _SectionReader(section.title, only_strict=only_strict)
    for block in _blocks(section):
        found.take(block)
    return found.result()


class _SectionReader:
    """Takes the blocks of a section in their order."""

    def __init__(self, title: str, *, only_strict: bool) -> None:
        self._title = title
        self._only_strict = only_strict
        self._rules: list[InstructionRule] = []
        self._commands: list[tuple[int, str]] = []
        self._unfit: list[Unfit] = []
        # The rule that what follows may belong to, and the words that lead to what follows.
        self._open = False
        self._lead = ""
        self._steps = False

    def take(self, block: _Block) -> None:
        """One more block."""
        match block.kind:
            case "prose":
                self._prose(block)
            case "item":
                self._item(block)
            case "code":
                self._code(block)
            case _:
                self._row(block)

    def result(self) -> SectionRules:
        """All that was found."""
        lines = tuple(text for _, text in self._commands)
        commands = SectionCommands(line=self._commands[0][0], lines=lines) if lines else None
        return SectionRules(rules=tuple(self._rules), commands=commands, unfit=tuple(self._unfit))

    def _binds(self, text: str, *, listed: bool) -> bool:
        return is_strict(text) if self._only_strict and listed else does_bind(text, listed=listed)

    def _prose(self, block: _Block) -> None:
        self._open = self._steps = False
        self._lead = ""
        reasons = MOST_REASONS
        for sentence in split_sentences(block.text):
            if len(sentence) >= SHORTEST_SENTENCE and self._binds(sentence, listed=False):
                self._rules.append(InstructionRule(line=block.line, text=sentence))
                self._open, reasons = True, 0
            elif self._open and reasons < MOST_REASONS:
                self._add_details(sentence)
                reasons += 1
            else:
                self._open = False
        if block.text.rstrip().endswith(":"):
            self._lead = list(split_sentences(block.text))[-1]
            self._steps = self._open

    def _item(self, block: _Block) -> None:
        item = block.item
        if item is None:
            return
        if self._steps and (item.numbered or not self._binds(item.text, listed=True)):
            self._add_details(*_whole(item))
            return
        self._steps = False
        if not self._take_item(item, self._lead):
            self._unfit.append((item.line, item.text))
        self._open = False

    def _take_item(self, item: MarkdownItem, subject: str, depth: int = 0) -> bool:
        """Whether an item, or one nested in it, is a rule, a fact, or something to type."""
        if _BOX.match(item.text):
            return False
        nested = list_items(item.below, item.line + 1) if depth < DEEPEST else []
        if is_command(item.text) and not is_strict(item.text) and not self._only_strict:
            self._commands.append((item.line, item.text))
        elif self._binds(item.text, listed=True):
            details = tuple(text for text in item.below if text.strip())
            self._rules.append(InstructionRule(line=item.line, text=item.text, details=details, subject=subject))
            return True
        elif item.text.rstrip().endswith(":"):
            return bool(sum(self._take_item(each, item.text, depth + 1) for each in nested))
        elif not self._only_strict and states_fact(item.text):
            self._rules.append(
                InstructionRule(line=item.line, text=item.text, binds=False, details=item.below, subject=subject)
            )
            return True
        strict = [each for each in nested if is_strict(each.text)]
        return bool(sum(self._take_item(each, item.text, depth + 1) for each in strict)) or is_command(item.text)

    def _code(self, block: _Block) -> None:
        language = (found[2].lower() if (found := _FENCE.match(block.text)) else "") or ""
        if self._open and self._rules:
            self._add_details(*block.lines)
            self._open = False
        elif not self._only_strict and _is_shell(language, block.lines, self._title):
            self._commands += [(block.line, text) for text in block.lines]

    def _row(self, block: _Block) -> None:
        cells = [cell for cell in block.lines if cell]
        bound = next((cell for cell in cells if self._binds(cell, listed=True) and len(cell.split()) > 2), "")
        if bound and not is_command(bound):
            others = tuple(cell for cell in cells if cell != bound)
            self._rules.append(InstructionRule(line=block.line, text=bound, details=others))

    def _add_details(self, *lines: str) -> None:
        last = self._rules[-1]
        self._rules[-1] = replace(last, details=(*last.details, *lines))


def _is_shell(language: str, lines: Sequence[str], title: str) -> bool:
    if any(map(_TREE.search, lines)):
        return False
    return language in _SHELLS or (not language and bool(_DOING.search(title)))


def _whole(item: MarkdownItem) -> list[str]:
    return [f"- {item.text}", *(text for text in item.below if text.strip())]


def _blocks(section: MarkdownSection) -> list[_Block]:
    """Everything in a section, in its order; what stands inside an item is the item's."""
    items = list_items(section.lines, section.start)
    inside = {line for item in items for line in range(item.line, item.line + len(item.below) + 1)}
    found = [_Block(line=item.line, kind="item", text=item.text, item=item) for item in items]
    for line, text in find_paragraphs(section.lines, section.start):
        if line not in inside:
            found.append(_Block(line=line, kind="prose", text=text))
    found += [block for block in _code_blocks(section) if block.line not in inside]
    found += [_Block(line=line, kind="row", text="", lines=tuple(cells)) for line, cells in _table_bodies(section)]
    return sorted(found, key=lambda block: block.line)


def _code_blocks(section: MarkdownSection) -> Iterator[_Block]:
    begun, held, mark, opening = 0, [], "", ""
    for line, text in enumerate(section.lines, section.start):
        fence = _FENCE.match(text.strip())
        if not mark and fence:
            begun, held, mark, opening = line, [text], fence[1], text.strip()
        elif mark:
            held.append(text)
            if fence and text.strip().startswith(mark):
                yield _Block(line=begun, kind="code", text=opening, lines=tuple(held))
                mark = ""


def _table_bodies(section: MarkdownSection) -> Iterator[tuple[int, list[str]]]:
    at = 0
    while at < len(section.lines):
        rows = table_rows(section.lines[at:], section.start + at)
        if not rows:
            return
        yield from rows[1:]
        at = rows[-1][0] - section.start + 1
