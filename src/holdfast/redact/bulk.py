"""The gate for bulk work: every rule at once in RE2, in linear time, where `google-re2` is installed.

Harvest reads gigabytes in one process, where loading RE2 costs nothing and speed everything. One pass over openings and
names lets most texts go; the others are asked by the rules' own patterns. What is found is the same as without RE2, for the
suspects are then tried by the same code.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from holdfast.redact import gate
from holdfast.redact.rules import BLOCK, NAMED, PLACES, TOKENS, Rule

_RULES = (*TOKENS, *PLACES, BLOCK)
_MEMORY = 64 << 20

# Names and what follows them, as the gate reads them.
_GAP = r"[\s\"'`\\\]>=:,?]{1,80}(?:(?:is|was|to|value)[\s\"'`\\\]>=:,?]{1,20})?"
_TAIL = r"(?:[A-Z0-9_.-][A-Za-z0-9_.-]{0,100})?"
_NAMES = (
    rf"(?i:passw|passphrase)[A-Za-z0-9_.-]{{0,100}}{_GAP}[^\s(\[{{<]{{3}}",
    rf"(?i:pass|pwd|secret){_TAIL}{_GAP}[^\s(\[{{<]{{3}}",
    rf"(?i:key|token|credentials?|auth){_TAIL}{_GAP}(?:[^\s(\[{{<]{{0,100}}[A-Z0-9]|[^\s(\[{{<]{{25}})",
    r"(?i:authori[sz]ation|cookie|bearer)[A-Za-z0-9_.-]{0,100}[\s\"'`\\\]>=:,?]",
)
# What may stand before a token, escapes included.
_BEFORE = r"(?:^|[^A-Za-z0-9]|\\[nrtbf0]|\[[0-9;]{0,8}m|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})"


def suspects() -> Callable[[str], tuple[Rule, ...]]:
    """What `values.clean` shall ask: RE2 if it is there, else the gate."""
    return _by_re2 if _re2() else gate.suspects


def _by_re2(text: str) -> tuple[Rule, ...]:
    # RE2's \s knows no vertical tab, Python's does.
    raw = text.encode("utf-8", "replace").replace(b"\v", b" ")
    if not _anything().search(raw):
        return ()
    found = [_RULES[at] for at in sorted(_patterns().Match(raw) or ())] if _openings().search(raw) else []
    if not _names().search(raw):
        return tuple(found)
    flat = gate.flat(text)
    return (*found, NAMED) if gate.names_a_secret(flat, flat.lower()) else tuple(found)


@cache
def _re2() -> Any:
    try:
        found = import_module("re2")
    except ImportError:
        return None
    # Another module may have the name.
    return found if hasattr(found, "Set") else None


@cache
def _anything() -> Any:
    return _re2().compile("|".join([*map(_opening, _RULES), *_NAMES]), _options())


@cache
def _openings() -> Any:
    return _re2().compile("|".join(map(_opening, _RULES)), _options())


@cache
def _names() -> Any:
    return _re2().compile("|".join(_NAMES), _options())


def _opening(rule: Rule) -> str:
    """How texts begin that a rule may match: short, so that all of them together stay fast."""
    literals = "|".join(map(_re2().escape, rule.literals))
    if rule in TOKENS and not rule.back:
        rest = rf"[A-Za-z0-9_~-]{{8,40}}{_re2().escape(rule.then)}" if rule.then else "[A-Za-z0-9_.~-]{8}"
        return rf"{_BEFORE if rule.edge else ''}(?:{literals}){rest}"
    if "(?i:" in rule.pattern:
        return rf"(?i:{literals})"
    return rf"(?:{literals})" + (rf"[^\s/]*{_re2().escape(rule.then)}" if rule.then else "")


@cache
def _patterns() -> Any:
    made = _re2().Set.SearchSet(_options())
    for rule in _RULES:
        made.Add(rule.pattern)
    made.Compile()
    return made


def _options() -> Any:
    options = _re2().Options()
    options.max_mem = _MEMORY
    options.never_capture = True
    return options
