"""A git pattern → a regular expression over bytes, as git's own matcher reads it.

No pattern can make it slow: whatever stands before the last star of a part is matched once, at its first place.
"""

import re
from collections.abc import Iterator, Sequence

_SLASH, _STAR = b"/", b"*"
_AFTER_PLAIN = re.compile(rb"([^*?\[\\]*[^*?\[\\/])\*\*+(/|\Z)")
_CLASSES = {
    b"alnum": rb"0-9A-Za-z", b"alpha": rb"A-Za-z", b"blank": rb" \t", b"cntrl": rb"\x00-\x1f\x7f", b"digit": rb"0-9",
    b"graph": rb"!-~", b"lower": rb"a-z", b"print": rb" -~", b"punct": rb"!-/:-@\[-`{-~", b"space": rb"\s",
    b"upper": rb"A-Z", b"xdigit": rb"0-9A-Fa-f",
}  # fmt: skip


class PatternNeverMatches(Exception):
    """A pattern that is no pattern: git matches nothing by it."""


def translate_name_pattern(pattern: bytes) -> bytes:
    """A pattern without a slash, for names. Raises NeverMatches."""
    return _part(_tokens(pattern))


def translate_path_pattern(pattern: bytes) -> bytes:
    """A pattern with slashes, for whole paths. Raises NeverMatches."""
    if found := _AFTER_PLAIN.match(pattern):
        # Git compares what stands before the first wildcard by itself; the stars then count as the beginning.
        rest = rb"(?:[\s\S]*/)?" + translate_path_pattern(pattern[found.end() :]) if found[2] else rb"[\s\S]*"
        return re.escape(found[1]) + rest
    parts = list(_parts(_tokens(pattern)))
    groups = _split(parts)
    if len(groups) == 1:
        return _join_parts(groups[0])
    first, *middle, last = groups
    head = _join_parts(first) + _SLASH if first else b""
    between = b"".join(rb"(?>(?:[^/]+/)*?" + _join_parts(group) + rb"/)" for group in middle if group)
    tail = rb"(?:[^/]+/)*" + _join_parts(last) if last else rb"[\s\S]+"
    return head + between + tail


def parse_literal(pattern: bytes) -> bytes | None:
    """What a pattern without any wildcard stands for; None for others."""
    return None if any(mark in pattern for mark in (b"*", b"?", b"[", b"\\")) else pattern


def _split(parts: Sequence[list[bytes]]) -> list[list[list[bytes]]]:
    """The parts of a path, split at each `**` that stands for any number of folders."""
    groups: list[list[list[bytes]]] = [[]]
    for part in parts:
        if len(part) > 1 and all(token == _STAR for token in part):
            groups.append([])
        else:
            groups[-1].append(part)
    return groups


def _join_parts(parts: Sequence[list[bytes]]) -> bytes:
    return _SLASH.join(map(_part, parts))


def _parts(tokens: Sequence[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    for token in tokens:
        if token == _SLASH:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _part(tokens: Sequence[bytes]) -> bytes:
    """One part between slashes."""
    chunks: list[list[bytes]] = [[]]
    for token in tokens:
        if token == _STAR:
            chunks.append([])
        else:
            chunks[-1].append(token)
    if len(chunks) == 1:
        return b"".join(chunks[0])
    first, *middle, last = [b"".join(chunk) for chunk in chunks]
    return first + b"".join(rb"(?>[^/]*?" + chunk + rb")" for chunk in middle if chunk) + rb"[^/]*" + last


def _tokens(pattern: bytes) -> list[bytes]:
    """The pattern as pieces: a slash, a star, or an expression for one byte."""
    found, at = [], 0
    while at < len(pattern):
        one = pattern[at : at + 1]
        if one == b"\\":
            at += 1
            if at == len(pattern):
                raise PatternNeverMatches
            escaped = pattern[at : at + 1]
            found.append(_SLASH if escaped == _SLASH else re.escape(escaped))
        elif one == b"[":
            expression, at = _bracket(pattern, at + 1)
            found.append(expression)
        else:
            found.append(one if one in (_STAR, _SLASH) else b"[^/]" if one == b"?" else re.escape(one))
        at += 1
    return found


def _bracket(pattern: bytes, at: int) -> tuple[bytes, int]:
    """The expression for a class that opened just before, and where it closes."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    wanted: set[int] = set()
    first, before = True, -1
    while first or pattern[at : at + 1] != b"]":
        first = False
        if pattern[at : at + 2] == b"[:" and (end := pattern.find(b":]", at + 2)) >= 0 and _is_name(pattern, at, end):
            wanted |= _class(pattern[at + 2 : end])
            at, before = end + 2, -1
            continue
        is_range = pattern[at : at + 1] == b"-" and before >= 0 and pattern[at + 1 : at + 2] not in (b"]", b"")
        byte, at = _byte(pattern, at + is_range)
        wanted |= set(range(before, byte + 1)) if is_range else {byte}
        before = -1 if is_range else byte
    kept = (set(range(256)) - wanted if negated else wanted) - {ord("/")}
    return (b"[" + _ranges(kept) + b"]" if kept else rb"[^\s\S]"), at


def _ranges(kept: set[int]) -> bytes:
    """Bytes as the inside of a class, runs of them in short."""
    firsts = sorted(byte for byte in kept if byte - 1 not in kept)
    lasts = sorted(byte for byte in kept if byte + 1 not in kept)
    return b"".join(b"\\x%02x-\\x%02x" % run for run in zip(firsts, lasts, strict=True))


def _is_name(pattern: bytes, at: int, end: int) -> bool:
    return b"]" not in pattern[at + 2 : end]


def _class(name: bytes) -> set[int]:
    if name not in _CLASSES:
        raise PatternNeverMatches
    told = re.compile(b"[" + _CLASSES[name] + b"]")
    return {byte for byte in range(128) if told.match(bytes([byte]))}


def _byte(pattern: bytes, at: int) -> tuple[int, int]:
    if pattern[at : at + 1] == b"\\":
        at += 1
    if at >= len(pattern):
        raise PatternNeverMatches
    return pattern[at], at + 1
