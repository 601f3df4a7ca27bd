"""Packages that a command installs, against rules."""

from collections.abc import Iterable, Iterator

from holdfast.check.enforce_rules import APPROVE, FORBID_DEPENDENCY, REJECTED, Rule, plain
from holdfast.check.package_names import Named
from holdfast.core.finding import Finding, Severity
from holdfast.core.value import replace

SURE_OF_NAMES = 0.9


def judged_installs(rule: Rule, packages: Iterable[Named], had: frozenset[str]) -> Iterator[Finding]:
    """What a rule says of packages that a command installs."""
    for named in packages:
        if rule.key == FORBID_DEPENDENCY and any(name.means(named) for name in rule.names):
            yield found_by(rule, f"forbids the dependency {named.name!r}", named.name, named.line)
        elif rule.key == APPROVE and plain(named.name) not in had and not any(n.means(named) for n in rule.names):
            reason = f"has every new dependency approved, and {named.name!r} is not"
            yield found_by(rule, reason, named.name, named.line)
        elif rule.key == REJECTED and plain(named.name) in map(plain, rule.said):
            yield doubted(found_by(rule, f"rejected {named.name!r}, which is installed", named.name, named.line))


def found_by(rule: Rule, reason: str, what: str, line: int | None = None) -> Finding:
    """A certain finding."""
    return Finding(
        memory=rule.memory, severity=Severity.ERROR, rule=rule.key, reason=reason, title=rule.title, what=what,
        line=line,
    )  # fmt: skip


def doubted(found: Finding) -> Finding:
    """The same as a warning: a name is nearly certain."""
    return replace(found, severity=Severity.WARNING, confidence=SURE_OF_NAMES)
