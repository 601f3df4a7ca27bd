"""Packages that a command installs, against rules."""

from collections.abc import Iterable, Iterator

from holdfast.check.enforce_rules import APPROVE, FORBID_DEPENDENCY, REJECTED, EnforceRule, strip_marks
from holdfast.check.package_names import NamedPackage
from holdfast.core.finding import Finding, Severity
from holdfast.core.value import replace

SURE_OF_NAMES = 0.9


def judge_installs(rule: EnforceRule, packages: Iterable[NamedPackage], had: frozenset[str]) -> Iterator[Finding]:
    """What a rule says of packages that a command installs."""
    for named in packages:
        if rule.key == FORBID_DEPENDENCY and any(name.means(named) for name in rule.names):
            yield certain_finding(rule, f"forbids the dependency {named.name!r}", named.name, named.line)
        elif rule.key == APPROVE and strip_marks(named.name) not in had and not any(n.means(named) for n in rule.names):
            reason = f"has every new dependency approved, and {named.name!r} is not"
            yield certain_finding(rule, reason, named.name, named.line)
        elif rule.key == REJECTED and strip_marks(named.name) in map(strip_marks, rule.said):
            yield as_warning(
                certain_finding(rule, f"rejected {named.name!r}, which is installed", named.name, named.line)
            )


def certain_finding(rule: EnforceRule, reason: str, what: str, line: int | None = None) -> Finding:
    """A certain finding."""
    return Finding(
        memory=rule.memory, severity=Severity.ERROR, rule=rule.key, reason=reason, title=rule.title, what=what,
        line=line,
    )  # fmt: skip


def as_warning(found: Finding) -> Finding:
    """The same as a warning: a name is nearly certain."""
    return replace(found, severity=Severity.WARNING, confidence=SURE_OF_NAMES)
