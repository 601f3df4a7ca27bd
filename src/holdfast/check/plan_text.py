"""A plan or text → what it installs, what its code imports, and its sentences, each with its line."""

import re
from collections.abc import Iterator

from holdfast.core.value import Value, replace
from holdfast.ecosystems.called_names import CalledName
from holdfast.ecosystems.imported_modules import ImportedModule
from holdfast.ecosystems.install_commands import names_installer, read_installs
from holdfast.ecosystems.package_names import NamedPackage
from holdfast.ecosystems.source_calls import read_piece_calls
from holdfast.ecosystems.source_imports import ENDINGS, read_piece_imports

LONGEST = 200_000
LONGEST_SENTENCE = 600
MOST_SENTENCES = 2000
# Of a command without any mark: more words are prose.
LONGEST_COMMAND = 12
_FENCE = re.compile(r"^\s*(?:[-*]\s+)?(`{3,}|~{3,})\s*([\w+-]*)[^`]*$")
_INLINE = re.compile(r"`([^`\n]+)`")
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"“(0-9])|;\s+")
_MARKS = re.compile(r"^[\s>]*(?:#{1,6}\s+|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)?")
_SHELLS = frozenset({"", "sh", "bash", "shell", "console", "zsh", "terminal", "text", "shellsession", "fish", "ps1"})


class Sentence(Value):
    """Some words and the line they begin on."""

    text: str
    line: int


class ParsedPlan(Value):
    """What a text says: what its commands install, what its code imports and calls, and its sentences."""

    installs: tuple[NamedPackage, ...]
    imports: tuple[ImportedModule, ...]
    sentences: tuple[Sentence, ...]
    calls: tuple[CalledName, ...] = ()


def read_plan(text: str) -> ParsedPlan:
    """Read a text; at most 200,000 characters of it."""
    blocks, prose = _split_code(text[:LONGEST])
    installs = [named for language, line, code in blocks if language in _SHELLS for named in read_installs(code, line)]
    for line, words in prose:
        for code in [*_INLINE.findall(words), *([words] if words.lstrip().startswith("$ ") else [])]:
            installs += read_installs(code, line)
        if not _INLINE.search(words):
            installs += _bare_command(words, line)
    modules = [each for language, line, code in blocks for each in _imports(language, line, code)]
    calls = [each for language, line, code in blocks for each in _calls(language, line, code)]
    sentences = tuple(sentence for line, words in prose for sentence in _sentences(line, words))
    return ParsedPlan(
        installs=tuple(dict.fromkeys(installs)), imports=tuple(dict.fromkeys(modules)),
        sentences=sentences[:MOST_SENTENCES], calls=tuple(dict.fromkeys(calls)),
    )  # fmt: skip


def _split_code(text: str) -> tuple[list[tuple[str, int, str]], list[tuple[int, str]]]:
    """Fenced code (language, first line, text) and the other lines."""
    blocks: list[tuple[str, int, str]] = []
    prose: list[tuple[int, str]] = []
    held: list[str] = []
    fence, language, start = "", "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2]:
                blocks.append((language, start, "\n".join(held)))
                fence = ""
            else:
                held.append(line)
        elif mark:
            fence, language, start, held = mark[1], mark[2].lower(), number + 1, []
        else:
            prose.append((number, line))
    if fence:
        blocks.append((language, start, "\n".join(held)))
    return blocks, prose


def _bare_command(words: str, line: int) -> Iterator[NamedPackage]:
    """A command that makes up a whole line or list item, without any mark; prose that begins so does not end so."""
    said = _MARKS.sub("", words, count=1).strip()
    if names_installer(said) and len(said.split()) <= LONGEST_COMMAND:
        yield from read_installs(said.rstrip("."), line)


def _imports(language: str, line: int, code: str) -> Iterator[ImportedModule]:
    ending = ENDINGS.get(language)
    for each in read_piece_imports(f"plan{ending}", code) if ending else ():
        yield replace(each, line=each.line + line - 1)


def _calls(language: str, line: int, code: str) -> Iterator[CalledName]:
    ending = ENDINGS.get(language)
    for each in read_piece_calls(f"plan{ending}", code) if ending else ():
        yield replace(each, line=each.line + line - 1)


def _sentences(line: int, words: str) -> Iterator[Sentence]:
    for part in _ENDS.split(_MARKS.sub("", words, count=1)):
        if part.strip():
            yield Sentence(text=part.strip()[:LONGEST_SENTENCE], line=line)
