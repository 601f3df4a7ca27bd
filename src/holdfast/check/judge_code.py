"""Rules on what code says and on which files change together: calls, code without remarks, required lines."""

import re
from collections.abc import Iterator, Sequence

from holdfast.check.enforce_rules import REQUIRE_CHANGE, EnforceRule
from holdfast.check.read_change import Match, ReadChange
from holdfast.core.finding import Finding, Severity
from holdfast.core.path_scope import applies_to
from holdfast.ecosystems.bare_code import blank_remarks, blank_texts


def find_forbidden_calls(rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
    """Calls of what a rule forbids, each once a line."""
    for each in read:
        seen: set[tuple[int, str]] = set()
        for called in each.called:
            met = next((name for name in rule.phrasings if called.means(name)), "")
            if met and (called.line, met) not in seen:
                seen.add((called.line, met))
                yield find_error(rule, f"forbids calling {met!r}", each.change.path, called.line, called.name)


def find_forbidden_changes(rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
    """Files that are there and must not change."""
    for each in read:
        change = each.change
        moved = change.deleted or (not change.new and change.added is not None and bool(change.added))
        if moved and applies_to(rule.phrasings, change.path):
            yield find_error(rule, f"forbids changing {change.path!r}", change.path, None, change.path)


def find_missing_changes(rule: EnforceRule, read: Sequence[ReadChange], changed: Sequence[str]) -> Iterator[Finding]:
    """A change that must come with another, and does not."""
    counted = [each.change for each in read if each.change.new or rule.key == REQUIRE_CHANGE]
    fitting = [change.path for change in counted if not applies_to(rule.phrasings, change.path)]
    if fitting and not any(applies_to(rule.phrasings, path) for path in changed):
        wanted = " or ".join(rule.phrasings)
        yield find_error(rule, f"asks that {wanted!r} changes with {fitting[0]!r}", fitting[0], None, wanted)


def find_missing_lines(rule: EnforceRule, read: Sequence[ReadChange], match: Match) -> Iterator[Finding]:
    """Files in which a line that must be there is not."""
    for each in read:
        change = each.change
        if change.after is None or change.deleted or not change.after.strip():
            continue
        had = change.before is not None and not change.new
        for pattern in rule.phrasings:
            if match(pattern, change.after.split("\n")) == [] and not (
                had and match(pattern, (change.before or "").split("\n")) == []
            ):
                yield find_error(rule, f"asks for a line with '{pattern}'", change.path, None, change.path)


def read_code_lines(each: ReadChange, *, texts: bool) -> list[tuple[int, str]]:
    """The new lines of a file without remarks, by their number; without texts too where the pattern names no quote."""
    blank = blank_remarks if texts else blank_texts
    bare = blank(each.change.path, each.change.after or "").split("\n")
    return [(number, bare[number - 1]) for number, _ in each.lines if number <= len(bare)]


def find_error(rule: EnforceRule, reason: str, path: str, line: int | None, what: str) -> Finding:
    """What a rule finds for certain."""
    return Finding(
        memory=rule.memory, severity=Severity.ERROR, rule=rule.key, reason=reason, title=rule.title,
        path=path, line=line, what=re.sub(r"\s+", " ", what)[:120],
    )  # fmt: skip
