"""A memory's `enforce` → rules; what it turns down → names to know it by. What cannot be used is said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.memory import Memory
from holdfast.core.value import Value
from holdfast.ecosystems.package_names import Wanted, parse_wanted, plain_name

FORBID_DEPENDENCY, APPROVE, FORBID_IMPORT = "forbid_dependency", "approve_new_dependency", "forbid_import"
FORBID_PATH, REQUIRE_PATH, FORBID_PATTERN = "forbid_path", "require_path", "forbid_pattern"
REJECTED = "rejected"
KEYS = (FORBID_DEPENDENCY, APPROVE, FORBID_IMPORT, FORBID_PATH, REQUIRE_PATH, FORBID_PATTERN)
MOST = 500
LONGEST = 500
MOST_WORDS = 3


class EnforceRule(Value):
    """One key of one memory. `phrasings`: its entries, as they are written."""

    memory: str
    title: str
    paths: tuple[str, ...]
    key: str
    phrasings: tuple[str, ...]

    @property
    def names(self) -> tuple[Wanted, ...]:
        """The packages that it speaks of."""
        return tuple(map(parse_wanted, self.phrasings))


class UnusableKey(Value):
    """Why a key cannot be used."""

    memory: str
    reason: str


def rules_of(memory: Memory) -> Iterator[EnforceRule | UnusableKey]:
    """The rules of a memory's `enforce`, and what in it cannot be used; the rest counts."""
    for key, value in memory.enforce.items() if isinstance(memory.enforce, Mapping) else ():
        if key not in KEYS:
            yield UnusableKey(
                memory=memory.id, reason=f"`enforce` knows no {str(key)[:60]!r}; it knows {', '.join(KEYS)}"
            )
            continue
        if key == APPROVE and value in (False, None):
            continue
        entries, slips = _entries(key, value)
        yield from (UnusableKey(memory=memory.id, reason=f"`{key}`: {slip}") for slip in slips)
        if entries or (key == APPROVE and not slips):
            yield EnforceRule(
                memory=memory.id, title=memory.title, paths=memory.paths, key=key, phrasings=tuple(entries)
            )


def rejected_options_rule(memory: Memory) -> EnforceRule | None:
    """The rejected options of a memory that may be names of packages or modules."""
    options = [option.option.strip().strip("`'\"") for option in memory.rejected]
    choice = plain_name(memory.choice)
    said = [o for o in options if o and len(o.split()) <= MOST_WORDS and len(o) <= 60 and plain_name(o) != choice]
    if not said:
        return None
    return EnforceRule(
        memory=memory.id, title=memory.title, paths=memory.paths, key=REJECTED, phrasings=tuple(said[:20])
    )


def _entries(key: str, value: Any) -> tuple[list[str], list[str]]:
    if key == APPROVE and value is True:
        return [], []
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Sequence):
        return [], ["takes a text or a list of texts" + (", or `true`" if key == APPROVE else "")]
    if len(listed) > MOST:
        return [], [f"has more than {MOST} entries"]
    entries, slips = [], []
    for each in listed:
        slip = _why_unusable(key, each)
        slips += [slip] if slip else []
        entries += [] if slip else [each.strip() if key != FORBID_PATTERN else each]
    return entries, slips


def _why_unusable(key: str, each: Any) -> str:
    if not isinstance(each, str) or not each.strip():
        return f"{str(each)[:60]!r} is no text"
    if len(each) > LONGEST:
        return f"{each[:40]!r}… has more than {LONGEST} characters"
    if key in {FORBID_DEPENDENCY, APPROVE}:
        try:
            parse_wanted(each)
        except ValueError as error:
            return str(error)
    return ""
