"""A memory's `enforce` → rules; what it turns down → names to know it by. What cannot be used is said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.memory import Memory
from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value
from holdfast.ecosystems.package_names import Wanted, parse_wanted, plain_name

FORBID_DEPENDENCY, APPROVE, FORBID_IMPORT = "forbid_dependency", "approve_new_dependency", "forbid_import"
FORBID_PATH, REQUIRE_PATH, FORBID_PATTERN = "forbid_path", "require_path", "forbid_pattern"
FORBID_CALL, FORBID_CODE, FORBID_CHANGE = "forbid_call", "forbid_code", "forbid_change"
REQUIRE_CHANGE, REQUIRE_PATTERN, REQUIRE_WITH_NEW = "require_change", "require_pattern", "require_with_new"
APPROVE_RUNTIME = "approve_new_runtime_dependency"
REJECTED = "rejected"
KEYS = (
    FORBID_DEPENDENCY, APPROVE, APPROVE_RUNTIME, FORBID_IMPORT, FORBID_CALL, FORBID_PATH, REQUIRE_PATH, FORBID_CHANGE,
    REQUIRE_CHANGE, REQUIRE_WITH_NEW, FORBID_PATTERN, FORBID_CODE, REQUIRE_PATTERN,
)  # fmt: skip
# What they take a regular expression for; what takes `true`.
PATTERNS = (FORBID_PATTERN, FORBID_CODE, REQUIRE_PATTERN)
APPROVING = (APPROVE, APPROVE_RUNTIME)
# Where the other keys hold, and where they do not; that a memory is told, and not checked.
PATHS, EXCEPT, TOLD_ONLY = "paths", "except", "told_only"
MOST = 500
LONGEST = 500
MOST_WORDS = 3


class EnforceRule(Value):
    """One key of one memory. `phrasings`: its entries, as they are written. `outside`: where it does not hold.

    `proposed`: read from the memory's words, and confirmed by nobody yet.
    """

    memory: str
    title: str
    paths: tuple[str, ...]
    key: str
    phrasings: tuple[str, ...]
    outside: tuple[str, ...] = ()
    proposed: bool = False

    def covers(self, path: str) -> bool:
        """Whether it holds at a path."""
        return applies_to(self.paths, path) and not (self.outside and applies_to(self.outside, path))

    @property
    def names(self) -> tuple[Wanted, ...]:
        """The packages that it speaks of."""
        return tuple(map(parse_wanted, self.phrasings))


class UnusableKey(Value):
    """Why a key cannot be used."""

    memory: str
    reason: str


def rules_of(memory: Memory, *, proposed: Mapping[str, Any] | None = None) -> Iterator[EnforceRule | UnusableKey]:
    """The rules of a memory's `enforce`, and what in it cannot be used; the rest counts.

    `proposed`: an `enforce` that was read from its words, in the place of its own.
    """
    enforce = proposed if proposed is not None else memory.enforce
    if not isinstance(enforce, Mapping) or enforce.get(TOLD_ONLY) is True:
        return
    paths, outside = _globs(enforce.get(PATHS)) or memory.paths, _globs(enforce.get(EXCEPT))
    for key, value in enforce.items():
        if key in {PATHS, EXCEPT, TOLD_ONLY} or (key in APPROVING and value in (False, None)):
            continue
        if key not in KEYS:
            yield UnusableKey(
                memory=memory.id, reason=f"`enforce` knows no {str(key)[:60]!r}; it knows {', '.join(KEYS)}"
            )
            continue
        entries, slips = _entries(key, value)
        yield from (UnusableKey(memory=memory.id, reason=f"`{key}`: {slip}") for slip in slips)
        if entries or (key in APPROVING and not slips):
            yield EnforceRule(
                memory=memory.id, title=memory.title, paths=paths, key=key, phrasings=tuple(entries),
                outside=outside, proposed=proposed is not None,
            )  # fmt: skip


def _globs(value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    return tuple(each for each in listed if isinstance(each, str)) if isinstance(listed, list | tuple) else ()


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
    if key in APPROVING and value is True:
        return [], []
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Sequence):
        return [], ["takes a text or a list of texts" + (", or `true`" if key in APPROVING else "")]
    if len(listed) > MOST:
        return [], [f"has more than {MOST} entries"]
    entries, slips = [], []
    for each in listed:
        slip = _why_unusable(key, each)
        slips += [slip] if slip else []
        entries += [] if slip else [each.strip() if key not in PATTERNS else each]
    return entries, slips


def _why_unusable(key: str, each: Any) -> str:
    if not isinstance(each, str) or not each.strip():
        return f"{str(each)[:60]!r} is no text"
    if len(each) > LONGEST:
        return f"{each[:40]!r}… has more than {LONGEST} characters"
    if key in {FORBID_DEPENDENCY, *APPROVING}:
        try:
            parse_wanted(each)
        except ValueError as error:
            return str(error)
    return ""
