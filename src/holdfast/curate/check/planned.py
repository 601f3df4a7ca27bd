"""A plan or text against rules: what its commands install, what its code imports, where it is to be carried out."""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.curate.check.imports import Imported
from holdfast.curate.check.names import Named
from holdfast.curate.check.prose import Plan
from holdfast.curate.check.rules import APPROVE, FORBID_DEPENDENCY, FORBID_IMPORT, FORBID_PATH, REJECTED, Rule, plain
from holdfast.domain.finding import Finding, Severity
from holdfast.domain.value import replace
from holdfast.recall.scope import applies_to

SURE_OF_NAMES = 0.9


def judged_plan(rules: Iterable[Rule], plan: Plan, paths: Sequence[str], had: frozenset[str]) -> Iterator[Finding]:
    """What a plan breaks for certain. `paths`: where it will be carried out, if that is said; `had`: what is there."""
    for rule in rules:
        if paths and not any(applies_to(rule.paths, path) for path in paths):
            continue
        yield from judged_installs(rule, plan.installs, had)
        yield from _imports(rule, plan.imports)
        if rule.key == FORBID_PATH:
            for path in paths:
                if applies_to(rule.paths, path) and applies_to(rule.said, path):
                    yield replace(_found(rule, f"forbids a file at {path!r}", path), path=path)


def judged_installs(rule: Rule, packages: Iterable[Named], had: frozenset[str]) -> Iterator[Finding]:
    """What a rule says of packages that a command installs."""
    for named in packages:
        if rule.key == FORBID_DEPENDENCY and any(name.means(named) for name in rule.names):
            yield _found(rule, f"forbids the dependency {named.name!r}", named.name, named.line)
        elif rule.key == APPROVE and plain(named.name) not in had and not any(n.means(named) for n in rule.names):
            reason = f"has every new dependency approved, and {named.name!r} is not"
            yield _found(rule, reason, named.name, named.line)
        elif rule.key == REJECTED and plain(named.name) in map(plain, rule.said):
            yield _doubted(_found(rule, f"rejected {named.name!r}, which is installed", named.name, named.line))


def _imports(rule: Rule, modules: Iterable[Imported]) -> Iterator[Finding]:
    for each in modules:
        if rule.key == FORBID_IMPORT and (met := next((name for name in rule.said if each.is_below(name)), "")):
            yield _found(rule, f"forbids importing {met!r}", each.module, each.line)
        elif rule.key == REJECTED and not each.relative:
            option = next((said for said in rule.said if plain(said) == plain(each.package)), "")
            if option:
                yield _doubted(_found(rule, f"rejected {option!r}, which is imported", option, each.line))


def _found(rule: Rule, reason: str, what: str, line: int | None = None) -> Finding:
    return Finding(
        memory=rule.memory, severity=Severity.ERROR, rule=rule.key, reason=reason, title=rule.title, what=what,
        line=line,
    )  # fmt: skip


def _doubted(found: Finding) -> Finding:
    return replace(found, severity=Severity.WARNING, confidence=SURE_OF_NAMES)
