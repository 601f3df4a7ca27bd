"""JavaScript and TypeScript as tokens: enough to count what stands in code and not in comments, texts or patterns."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.core.word_lists import word_set

NAME, STRING, TEMPLATE, NUMBER, PUNCTUATION, PATTERN = "name", "string", "template", "number", "punctuation", "pattern"
# A longer pattern is none: so no line, however odd, takes longer than its length allows.
LONGEST = 500
LONGEST_TEXT = 200_000
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      |(?P<name>[A-Za-z_$#\u00a0-\uffff][\w$]*)
      |(?P<number>\d[\w.]*)
      |(?P<punctuation>=>|\.\.\.|\?\.|\?\?=?|[=!]==?|[<>]=|&&|\|\||[-+*/%&|^]=|\+\+|--|.)""",
    re.VERBOSE | re.DOTALL,
)
_STRING = re.compile(r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_TEXT = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
# After these an expression begins, so a slash opens a pattern.
_OPENS = word_set("( , = : [ ! & | ? { } ; + - * % < > ~ ^ => && || ?? == === != !== ...")
_WORDS = word_set("return typeof case in of delete void throw new else do await yield instanceof")


class ScriptToken(NamedTuple):
    """A word of the code. `tight`: nothing stands between it and the one before. A tuple: there are a million."""

    kind: str
    text: str
    line: int
    tight: bool = False


def scan_tokens(source: str) -> Iterator[ScriptToken]:
    """The tokens of a source, without comments. Never raises: what is odd becomes punctuation."""
    at, line = 0, 1
    depths: list[int] = []
    last: ScriptToken | None = None
    tight = False
    while at < len(source):
        found = _scan_next(source, at, last, depths)
        kind, text = found
        if kind not in {"space", "comment"}:
            last = ScriptToken(kind=kind, text=text, line=line, tight=tight)
            yield last
        tight = kind not in {"space", "comment"}
        at += len(text)
        line += text.count("\n")


def _scan_next(source: str, at: int, last: ScriptToken | None, depths: list[int]) -> tuple[str, str]:
    character = source[at]
    if character == "`":
        return TEMPLATE, _template(source, at, depths)
    if character == "}" and depths and depths[-1] == 0:
        # A value inside a template ends: its text goes on.
        depths.pop()
        return TEMPLATE, _template(source, at, depths)
    if character in "{}" and depths:
        depths[-1] += 1 if character == "{" else -1
    if character == "/" and (after := source[at + 1 : at + 2]) in {"/", "*"}:
        return "comment", _comment(source, at, "\n" if after == "/" else "*/")
    if character == "/" and _may_open(last):
        pattern = _PATTERN.match(source, at, at + LONGEST)
        if pattern:
            return PATTERN, pattern[0]
    if character in "'\"" and at and (source[at - 1].isalnum() or source[at - 1] == "_"):
        # "Don't" between tags: no text begins inside a word.
        return PUNCTUATION, character
    if character in "'\"" and (text := _STRING.match(source, at, at + LONGEST_TEXT)):
        return STRING, text[0]
    match = _TOKEN.match(source, at, at + LONGEST)
    if match is None or match.lastgroup is None:
        return PUNCTUATION, character
    return match.lastgroup, match[0]


def _comment(source: str, at: int, end: str) -> str:
    found = source.find(end, at + 2)
    return source[at : found + len(end)] if found >= 0 else source[at:]


def _template(source: str, at: int, depths: list[int]) -> str:
    """From a backtick, or a value's end, to the closing backtick or the next value."""
    text = _TEXT.match(source, at + 1)
    end = text.end() if text else at + 1
    if source.startswith("${", end):
        depths.append(0)
        return source[at : end + 2]
    return source[at : end + 1]


def _may_open(last: ScriptToken | None) -> bool:
    if last is None:
        return True
    if last.kind == NAME:
        return last.text in _WORDS
    if last.kind == TEMPLATE:
        return last.text.endswith("${")
    return last.kind == PUNCTUATION and last.text in _OPENS
