"""The gate for bulk work: what may be a secret in RE2, in one pass and linear time, where `google-re2` is installed.

Harvest reads gigabytes in one process, where loading RE2 costs nothing and speed everything. One pass over openings and
names lets most texts go; the others are asked by the gate. What is found is the same as without RE2.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from holdfast.redact import gate
from holdfast.redact.secret_rules import BLOCK, NAMED, PLACES, TOKENS, SecretRule

_RULES = (*TOKENS, *PLACES, BLOCK)
_MEMORY = 64 << 20
_RUN = "[A-Za-z0-9_.~-]"

# Names and what follows them, as the gate reads them.
_GAP = r"[\s\"'`\\\]>=:,?]{1,80}(?:(?:is|was|to|value)[\s\"'`\\\]>=:,?]{1,20})?"
_TAIL = r"(?:[A-Z0-9_.-][A-Za-z0-9_.-]{0,100})?"
_NAMES = (
    rf"(?i:passw|passphrase)[A-Za-z0-9_.-]{{0,100}}{_GAP}[^\s(\[{{<]{{3}}",
    rf"(?i:pass|pwd|secret){_TAIL}{_GAP}[^\s(\[{{<]{{3}}",
    rf"(?i:key|token|credentials?|auth){_TAIL}{_GAP}(?:[^\s(\[{{<]{{0,100}}[A-Z0-9]|[^\s(\[{{<]{{25}})",
    r"(?i:authori[sz]ation|cookie|bearer)[A-Za-z0-9_.-]{0,100}[\s\"'`\\\]>=:,?]",
)


def bulk_suspects() -> Callable[[str], tuple[SecretRule, ...]]:
    """What `values.clean` shall ask: RE2 if it is there, else the gate."""
    return _suspects_by_re2 if _load_re2() else gate.suspects


def _suspects_by_re2(text: str) -> tuple[SecretRule, ...]:
    # RE2's \s knows no vertical tab, Python's does.
    raw = text.encode("utf-8", "replace").replace(b"\v", b" ")
    if not _any_opening().search(raw):
        return ()
    if _openings().search(raw):
        return gate.suspects(text)
    flat = gate.to_ascii_bytes(text)
    return (NAMED,) if gate.names_a_secret(flat, flat.lower()) else ()


@cache
def _load_re2() -> Any:
    try:
        found = import_module("re2")
    except ImportError:
        return None
    # Another module may have the name.
    return found if hasattr(found, "Set") else None


@cache
def _any_opening() -> Any:
    return _load_re2().compile("|".join([*map(_opening, _RULES), *_NAMES]), _options())


@cache
def _openings() -> Any:
    return _load_re2().compile("|".join(map(_opening, _RULES)), _options())


def _opening(rule: SecretRule) -> str:
    """How texts begin that a rule may match: short, and nothing of what stands before, so that RE2 needs few states."""
    literals = "|".join(map(_load_re2().escape, rule.literals))
    if rule in TOKENS and not rule.back:
        return rf"(?:{literals})" + (
            rf"{_RUN}{{8,40}}{_load_re2().escape(rule.then)}" if rule.then else rf"{_RUN}{{8}}"
        )
    if "(?i:" in rule.pattern:
        return rf"(?i:{literals})"
    return rf"(?:{literals})" + (rf"[^\s/]*{_load_re2().escape(rule.then)}" if rule.then else "")


def _options() -> Any:
    options = _load_re2().Options()
    options.max_mem = _MEMORY
    options.never_capture = True
    return options
