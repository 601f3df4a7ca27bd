"""JSON with the lines on which its names stand, which the standard reader does not tell."""

import re
from typing import Any

from holdfast.check.unreadable import UnreadableText

DEEPEST = 60


class JsonObject:
    """A JSON object with the line of each key, all of them where one comes twice."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: list[tuple[str, Any, int]] = []


_JSON_TOKEN = re.compile(
    r'[ \t\r\n]*(?:("(?:[^"\\\x00-\x1f]|\\.)*+")|([{}\[\]:,])|(-?\d[\d.eE+-]*|true|false|null))', re.DOTALL
)


class _Reader:
    """Reads JSON and keeps the lines. Lists hold pairs of value and line."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line, self._counted = text, 0, 1, 0

    def value(self, depth: int = 0) -> Any:
        sign = self.next()
        if depth > DEEPEST:
            raise UnreadableText("it is nested too deeply", self.line)
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in {"}", "]", ":", ","}:
            raise UnreadableText(f"{sign!r} stands where a value belongs", self.line)
        return _unquote_text(sign) if sign.startswith('"') else None

    def _object(self, depth: int) -> JsonObject:
        made = JsonObject()
        sign = self.next()
        while sign != "}":
            if not sign.startswith('"'):
                raise UnreadableText(f"{sign[:20]!r} stands where a name belongs", self.line)
            line = self.line
            if self.next() != ":":
                raise UnreadableText("a colon is missing", self.line)
            made.pairs.append((_unquote_text(sign), self.value(depth + 1), line))
            sign = self.next()
            if sign == ",":
                sign = self.next()
                if sign == "}":
                    raise UnreadableText("a comma stands before the end", self.line)
            elif sign != "}":
                raise UnreadableText("a comma is missing", self.line)
        return made

    def _list(self, depth: int) -> list[tuple[Any, int]]:
        made: list[tuple[Any, int]] = []
        if self._peek() == "]":
            self.next()
            return made
        while True:
            held = self.value(depth + 1)
            made.append((held, self.line))
            sign = self.next()
            if sign == "]":
                return made
            if sign != ",":
                raise UnreadableText("a comma is missing", self.line)

    def _peek(self) -> str:
        found = _JSON_TOKEN.match(self.text, self.at)
        return str(next(filter(None, found.groups()), "")) if found else ""

    def next(self) -> str:
        found = _JSON_TOKEN.match(self.text, self.at)
        if found is None:
            rest = self.text[self.at :].strip()
            raise UnreadableText(f"{rest[:20]!r} is no JSON" if rest else "it ends too early", self._line_at(self.at))
        self.at = found.end()
        self.line = self._line_at(found.start(found.lastindex or 0))
        return str(next(filter(None, found.groups())))

    def _line_at(self, place: int) -> int:
        self.line += self.text.count("\n", self._counted, place)
        self._counted = max(self._counted, place)
        return self.line


def _unquote_text(sign: str) -> str:
    if "\\" not in sign:
        return sign[1:-1]
    escapes = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
    return re.sub(
        r"\\(?:u([0-9a-fA-F]{4})|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else escapes.get(found[2], found[2]),
        sign[1:-1],
    )


def parse_json_lines(text: str) -> Any:
    """A JSON value: `JsonObject`, lists of value and line, texts, None for the rest. Raises Unreadable."""
    reader = _Reader(text)
    found = reader.value()
    if text[reader.at :].strip():
        raise UnreadableText("something stands after its end", reader.line)
    return found
