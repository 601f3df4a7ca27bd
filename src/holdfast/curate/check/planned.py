"""A plan or text against rules: what its commands install, what its code imports, where it is to be carried out."""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.curate.check.imports import Imported
from holdfast.curate.check.installs import doubted, found_by, judged_installs
from holdfast.curate.check.prose import Plan
from holdfast.curate.check.rules import FORBID_IMPORT, FORBID_PATH, REJECTED, Rule, plain
from holdfast.domain.finding import Finding
from holdfast.domain.value import replace
from holdfast.recall.scope import applies_to


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
                    yield replace(found_by(rule, f"forbids a file at {path!r}", path), path=path)


def _imports(rule: Rule, modules: Iterable[Imported]) -> Iterator[Finding]:
    for each in modules:
        if rule.key == FORBID_IMPORT and (met := next((name for name in rule.said if each.is_below(name)), "")):
            yield found_by(rule, f"forbids importing {met!r}", each.module, each.line)
        elif rule.key == REJECTED and not each.relative:
            option = next((said for said in rule.said if plain(said) == plain(each.package)), "")
            if option:
                yield doubted(found_by(rule, f"rejected {option!r}, which is imported", option, each.line))
