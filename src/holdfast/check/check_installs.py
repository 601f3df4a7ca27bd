"""Packages that a command installs, against rules."""

from collections.abc import Iterable, Iterator

from holdfast.check.enforce_rules import APPROVING, FORBID_DEPENDENCY, REJECTED, EnforceRule
from holdfast.core.finding import Finding, Severity
from holdfast.core.value import replace
from holdfast.ecosystems.package_names import NamedPackage, last_part, plain_name

SURE_OF_NAMES = 0.9


def judge_installs(rule: EnforceRule, packages: Iterable[NamedPackage], had: frozenset[str]) -> Iterator[Finding]:
    """What a rule says of packages that a command installs."""
    rejected = set(map(plain_name, rule.phrasings)) if rule.key == REJECTED else set()
    for named in packages:
        if rule.key == FORBID_DEPENDENCY and any(name.means(named) for name in rule.names):
            yield certain_finding(rule, f"forbids the dependency {named.name!r}", named.name, named.line)
        elif (
            rule.key in APPROVING and plain_name(named.name) not in had and not any(n.means(named) for n in rule.names)
        ):
            reason = f"has every new dependency approved, and {named.name!r} is not"
            yield certain_finding(rule, reason, named.name, named.line)
        elif rejected & {plain_name(named.name), plain_name(last_part(named.name))}:
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
