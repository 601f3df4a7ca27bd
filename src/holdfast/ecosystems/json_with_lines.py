"""JSON with the lines on which its names stand, which the standard reader does not tell."""

import re
from typing import Any

from holdfast.ecosystems.lined_values import DEEPEST, LinedTable
from holdfast.ecosystems.unreadable_text import Unreadable

_SIGN = r'(?:("(?:[^"\\\x00-\x1f]|\\.)*+")|([{}\[\]:,])|(-?\d[\d.eE+-]*|true|false|null))'
_STRICT = re.compile(rf"[ \t\r\n]*+{_SIGN}", re.DOTALL)
# As Deno and editors write it, with remarks.
_REMARKED = re.compile(rf"(?:[ \t\r\n]|//[^\n]*+|/\*(?:.*?\*/))*+{_SIGN}", re.DOTALL)
_WORDS = {"true": True, "false": False, "null": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def read_json(text: str, *, relaxed: bool = False) -> Any:
    """A JSON value: `LinedTable`, lists of value and line, texts, numbers. Raises Unreadable.

    `relaxed`: remarks may stand in it, and commas before an end.
    """
    reader = _JsonReader(text, relaxed=relaxed)
    found = reader.read_value()
    if reader.peek():
        raise Unreadable("something stands after its end", reader.line)
    return found


def read_json_table(text: str, *, relaxed: bool = False) -> LinedTable:
    """A JSON object. Raises Unreadable, also for what is another value."""
    found = read_json(text, relaxed=relaxed)
    if not isinstance(found, LinedTable):
        raise Unreadable("it is no JSON object", 1)
    return found


class _JsonReader:
    """Reads JSON and keeps the lines. Lists hold pairs of value and line."""

    def __init__(self, text: str, *, relaxed: bool) -> None:
        self.text, self.at, self.line, self._counted = text, 0, 1, 0
        self._relaxed = relaxed
        self._token = _REMARKED if relaxed else _STRICT

    def read_value(self, depth: int = 0) -> Any:
        sign = self.next()
        if depth > DEEPEST:
            raise Unreadable("it is nested too deeply", self.line)
        if sign == "{":
            return self._read_table(depth)
        if sign == "[":
            return self._read_list(depth)
        if sign in {"}", "]", ":", ","}:
            raise Unreadable(f"{sign!r} stands where a value belongs", self.line)
        return self._read_scalar(sign)

    def _read_scalar(self, sign: str) -> Any:
        if sign.startswith('"'):
            return _unescape(sign)
        if sign in _WORDS:
            return _WORDS[sign]
        try:
            return float(sign)
        except ValueError as error:
            raise Unreadable(f"{sign[:20]!r} is no number", self.line) from error

    def _read_table(self, depth: int) -> LinedTable:
        made = LinedTable()
        sign = self.next()
        while sign != "}":
            if not sign.startswith('"'):
                raise Unreadable(f"{sign[:20]!r} stands where a name belongs", self.line)
            line = self.line
            if self.next() != ":":
                raise Unreadable("a colon is missing", self.line)
            made.pairs.append((_unescape(sign), self.read_value(depth + 1), line))
            sign = self._after_value("}")
        return made

    def _read_list(self, depth: int) -> list[tuple[Any, int]]:
        made: list[tuple[Any, int]] = []
        if self.peek() == "]":
            self.next()
            return made
        while True:
            held = self.read_value(depth + 1)
            made.append((held, self.line))
            sign = self.next()
            if sign == "]" or (sign == "," and self._relaxed and self.peek() == "]" and self.next()):
                return made
            if sign != ",":
                raise Unreadable("a comma is missing", self.line)

    def _after_value(self, end: str) -> str:
        """The next name of an object, or its end."""
        sign = self.next()
        if sign == end:
            return sign
        if sign != ",":
            raise Unreadable("a comma is missing", self.line)
        sign = self.next()
        if sign == end and not self._relaxed:
            raise Unreadable("a comma stands before the end", self.line)
        return sign

    def peek(self) -> str:
        """The next token; the rest of the text where that is none; empty at the end."""
        found = self._token.match(self.text, self.at)
        return str(next(filter(None, found.groups()), "")) if found else self._rest()[:20]

    def next(self) -> str:
        found = self._token.match(self.text, self.at)
        if found is None:
            rest = self._rest()
            raise Unreadable(f"{rest[:20]!r} is no JSON" if rest else "it ends too early", self._line_at(self.at))
        self.at = found.end()
        self.line = self._line_at(found.start(found.lastindex or 0))
        return str(next(filter(None, found.groups())))

    def _rest(self) -> str:
        rest = self.text[self.at :]
        return (re.sub(r"//[^\n]*|/\*(?:.*?\*/|.*)", "", rest, flags=re.DOTALL) if self._relaxed else rest).strip()

    def _line_at(self, place: int) -> int:
        self.line += self.text.count("\n", self._counted, place)
        self._counted = max(self._counted, place)
        return self.line


def _unescape(sign: str) -> str:
    if "\\" not in sign:
        return sign[1:-1]
    return re.sub(
        r"\\(?:u([0-9a-fA-F]{4})|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]),
        sign[1:-1],
    )
