"""Secrets in a text: the rules the gate suspects are compiled, each once, and tried where their literals stand."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from holdfast.redact.gate import places, to_ascii_bytes
from holdfast.redact.hidden_text import Spans, holds_hidden, shown_text
from holdfast.redact.key_blocks import find_key_blocks
from holdfast.redact.named_values import find_named
from holdfast.redact.secret_checks import CHECKS
from holdfast.redact.secret_rules import BLOCK, NAMED, PLACES, TOKENS, SecretRule
from holdfast.redact.spoken_values import find_spoken

Span = tuple[int, int, str]

_ORDER = {id(rule): at for at, rule in enumerate((BLOCK, *TOKENS, *PLACES, NAMED))}
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_EDGES = {"": frozenset[str](), "word": _WORD, "part": _WORD | {"_", "-"}}
_ESCAPE = re.compile(r"(?:\\[nrtbf0]|\[[0-9;]{0,8}m|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})\Z")
_REST = re.compile(r"[A-Za-z0-9_-]*")
_MARKER = "[redacted:"


def redact_text(text: str, rules: Sequence[SecretRule]) -> tuple[str, dict[str, int]]:
    """The text with every secret the rules find replaced by its kind, and how many of each there were."""
    found: dict[str, int] = {}
    pieces, done = [], 0
    for first, last, kind in _join_spans(_spans(text, rules)):
        pieces += [text[done:first], f"{_MARKER}{kind}]"]
        found[kind] = found.get(kind, 0) + 1
        done = last
    return ("".join([*pieces, text[done:]]), found) if pieces else (text, found)


def map_to_text(spans: Iterable[tuple[int, int]], kept: Spans) -> Spans:
    """Where spans of a shown text stand in the text itself, with all that is hidden inside of them."""
    before = [0]
    for first, last in kept:
        before.append(before[-1] + last - first)

    def place(at: int) -> int:
        piece = bisect_right(before, at) - 1
        return kept[piece][0] + at - before[piece]

    return [(place(first), place(last - 1) + 1) for first, last in spans]


def _spans(text: str, rules: Sequence[SecretRule]) -> list[tuple[int, int, int, str]]:
    """What the rules find in a text as it is, and in the text as it is shown."""
    found = _find_plain_spans(text, rules)
    if not holds_hidden(text):
        return found
    bare, kept = shown_text(text)
    also = _find_plain_spans(bare, rules)
    placed = map_to_text([span[:2] for span in also], kept)
    return found + [(first, last, *span[2:]) for (first, last), span in zip(placed, also, strict=True)]


def _find_plain_spans(text: str, rules: Iterable[SecretRule]) -> list[tuple[int, int, int, str]]:
    return [(first, last, _ORDER[id(rule)], kind) for rule in rules for first, last, kind in _spans_of_rule(text, rule)]


def _spans_of_rule(text: str, rule: SecretRule) -> Iterator[Span]:
    if rule is NAMED:
        yield from find_named(text)
        yield from find_spoken(text)
    elif rule is BLOCK:
        yield from ((first, last, BLOCK.kind) for first, last in find_key_blocks(text))
    else:
        yield from _match_rule(text, rule)


def _join_spans(spans: list[tuple[int, int, int, str]]) -> Iterator[Span]:
    """Spans in order, overlapping ones as one: named by the one that begins first, of several by the earliest rule."""
    held: tuple[int, int, int, str] | None = None
    for span in sorted(spans):
        if held and span[0] < held[1]:
            names = span if span[0] == held[0] and span[2] < held[2] else held
            held = (held[0], max(held[1], span[1]), *names[2:])
        else:
            if held:
                yield held[0], held[1], held[3]
            held = span
    if held:
        yield held[0], held[1], held[3]


@cache
def _pattern(rule: SecretRule) -> re.Pattern[str]:
    return re.compile(rule.pattern, re.ASCII)


def _match_rule(text: str, rule: SecretRule) -> Iterator[Span]:
    """Where a rule matches: tried at each of its literals, from left to right."""
    pattern, check, done = _pattern(rule), CHECKS[rule.check], 0
    for at in _literals(text, rule):
        if at < done:
            continue
        found = _try_match(text, rule, pattern, max(done, at - rule.back), at)
        if found is None:
            continue
        done = found.end()
        first, last = found.span("secret" if "secret" in pattern.groupindex else 0)
        if check(text[first:last]) and _MARKER not in text[first:last]:
            last = _end_of_run(text, last) if "secret" not in pattern.groupindex else last
            yield first, last, rule.kind


def _try_match(text: str, rule: SecretRule, pattern: re.Pattern[str], first: int, at: int) -> re.Match[str] | None:
    """The match whose literal is at a place; with `back`, the leftmost that reaches it."""
    while True:
        found = pattern.search(text, first, at + 512) if rule.back else pattern.match(text, at)
        if found is None or found.start() > at:
            return None
        if found.end() > at and _can_begin(text, found.start(), rule.edge):
            return found
        if not rule.back:
            return None
        first = found.start() + 1


def _can_begin(text: str, at: int, edge: str) -> bool:
    """Whether a token can begin here: nothing of its kind before it, or an escape that only looks so."""
    return at == 0 or text[at - 1] not in _EDGES[edge] or _ESCAPE.search(text, max(0, at - 12), at) is not None


def _end_of_run(text: str, last: int) -> int:
    """Where the run ends that a token ends in: no tail of a longer one stays."""
    rest = _REST.match(text, last)
    return rest.end() if rest else last


def _literals(text: str, rule: SecretRule) -> list[int]:
    """Where a rule's literals stand, in order. One byte for each character: places in bytes are places in the text."""
    raw = to_ascii_bytes(text).lower() if "(?i:" in rule.pattern else to_ascii_bytes(text)
    return sorted(at for literal in rule.literals for at in places(raw, literal.encode()))
