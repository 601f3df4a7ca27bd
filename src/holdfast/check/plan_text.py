"""A plan or text → what it installs, what its code imports, and its sentences, each with its line."""

import re
from collections.abc import Iterator

from holdfast.check.install_commands import find_installs
from holdfast.check.package_names import NamedPackage
from holdfast.check.source_imports import ImportedModule, find_imports
from holdfast.check.unreadable import UnreadableText
from holdfast.core.value import Value

LONGEST = 200_000
LONGEST_SENTENCE = 600
MOST_SENTENCES = 2000
_FENCE = re.compile(r"^\s*(?:[-*]\s+)?(`{3,}|~{3,})\s*([\w+-]*)[^`]*$")
_INLINE = re.compile(r"`([^`\n]+)`")
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"“(0-9])|;\s+")
_MARKS = re.compile(r"^[\s>]*(?:#{1,6}\s+|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)?")
_LANGUAGES = {
    "python": ".py", "py": ".py", "python3": ".py", "js": ".js", "javascript": ".js", "jsx": ".jsx", "ts": ".ts",
    "typescript": ".ts", "tsx": ".tsx", "mjs": ".mjs", "vue": ".vue", "svelte": ".svelte",
}  # fmt: skip
_SHELLS = frozenset({"", "sh", "bash", "shell", "console", "zsh", "terminal", "text", "shellsession", "fish", "ps1"})


class Sentence(Value):
    """Some words and the line they begin on."""

    text: str
    line: int


class ParsedPlan(Value):
    """What a text says: packages that its commands install, modules that its code imports, and its sentences."""

    installs: tuple[NamedPackage, ...]
    imports: tuple[ImportedModule, ...]
    sentences: tuple[Sentence, ...]


def read_plan(text: str) -> ParsedPlan:
    """Read a text; at most 200,000 characters of it."""
    blocks, prose = _split_code(text[:LONGEST])
    installs = [named for language, line, code in blocks if language in _SHELLS for named in find_installs(code, line)]
    for line, words in prose:
        for code in [*_INLINE.findall(words), *([words] if words.lstrip().startswith("$ ") else [])]:
            installs += find_installs(code, line)
        if not _INLINE.search(words):
            installs += _bare_command(words, line)
    modules = [each for language, line, code in blocks for each in _imports(language, line, code)]
    sentences = tuple(sentence for line, words in prose for sentence in _sentences(line, words))
    return ParsedPlan(
        installs=tuple(dict.fromkeys(installs)), imports=tuple(dict.fromkeys(modules)),
        sentences=sentences[:MOST_SENTENCES],
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
    if (
        re.match(r"(?:sudo\s+)?(?:pip3?|uv|poetry|npm|pnpm|yarn|cargo|go|gem|bundle)\s+\S", said)
        and len(said.split()) <= 12
    ):
        yield from find_installs(said.rstrip("."), line)


def _imports(language: str, line: int, code: str) -> Iterator[ImportedModule]:
    suffix = _LANGUAGES.get(language)
    if suffix is None:
        return
    try:
        found = find_imports(f"plan{suffix}", code)
    except UnreadableText:
        # A piece of code need not be a whole file: its lines may be.
        found = tuple(each for at, text in enumerate(code.split("\n")) for each in _import_on_line(text, at))
    for each in found:
        yield ImportedModule(module=each.module, line=each.line + line - 1, relative=each.relative, mark=each.mark)


def _import_on_line(text: str, at: int) -> Iterator[ImportedModule]:
    if not text.lstrip().startswith(("import ", "from ")):
        return
    try:
        found = find_imports("plan.py", text.strip())
    except UnreadableText:
        return
    yield from (ImportedModule(module=each.module, line=at + 1, relative=each.relative) for each in found)


def _sentences(line: int, words: str) -> Iterator[Sentence]:
    for part in _ENDS.split(_MARKS.sub("", words, count=1)):
        if part.strip():
            yield Sentence(text=part.strip()[:LONGEST_SENTENCE], line=line)
