"""Private keys in armour, whole or cut off at either end, with real line ends or escaped ones."""

import re
from collections.abc import Iterator

_KEY = r"[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BETWEEN = r"(?:[\s\"'|>#*,]|\\+[nrt\"]|\\$|\s\+\s)"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID)\b[^\n\\]{0,200}"
_BEGUN = re.compile(
    rf"-----BEGIN{_KEY}(?P<body>(?:{_BETWEEN}*(?:{_HEADER}|[A-Za-z0-9+/=]{{16,}}))*(?:{_BETWEEN}*[A-Za-z0-9+/=]{{1,76}})?)"
    rf"(?:{_BETWEEN}*-----END[ A-Z0-9]{{0,60}}-----)?",
    re.ASCII,
)
_ENDED = re.compile(rf"-----END{_KEY}", re.ASCII)
_LINE_END = re.compile(r"\n|(?:\\+r)?\\+n")
_LEAST = 16
_LONGEST = 65_536
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="


def find_key_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where private keys stand. A block without a body, as documents show, is none."""
    done = 0
    for at in _marks(text):
        if at < done:
            continue
        if found := _BEGUN.match(text, at):
            if re.search(r"[A-Za-z0-9+/=]{16}", found["body"]):
                yield at, found.end()
            done = found.end()
        elif found := _ENDED.match(text, at):
            if (begun := _find_body_start(text, max(done, at - _LONGEST), at)) < at:
                yield begun, found.end()
            done = found.end()


def _marks(text: str) -> Iterator[int]:
    at = text.find("-----")
    while at >= 0:
        if text.startswith(("BEGIN", "END"), at + 5):
            yield at
        at = text.find("-----", at + 1)


def _find_body_start(text: str, floor: int, at: int) -> int:
    """Where the body before an END begins: base64 to the left, line by line."""
    begun = at
    for first, last in reversed(list(_lines(text, floor, at))):
        line = text[first:last]
        kept = line.strip("\\ \r\t\"'|>#*,")
        if kept.strip(_BASE64) or (len(kept) < _LEAST and kept and begun != at):
            break
        if kept:
            begun = first + line.find(kept)
    return begun


def _lines(text: str, floor: int, end: int) -> Iterator[tuple[int, int]]:
    first = floor
    for found in _LINE_END.finditer(text, floor, end):
        yield first, found.start()
        first = found.end()
    yield first, end
