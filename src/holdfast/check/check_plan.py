"""A plan or text against rules: what its commands install, what its code imports, where it is to be carried out."""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.check.check_installs import doubted, found_by, judged_installs
from holdfast.check.check_recalled import brought_in
from holdfast.check.enforce_rules import FORBID_DEPENDENCY, FORBID_IMPORT, FORBID_PATH, REJECTED, Rule, plain
from holdfast.check.plan_text import Plan, Sentence
from holdfast.check.source_imports import Imported
from holdfast.core.finding import Finding
from holdfast.core.path_scope import applies_to
from holdfast.core.value import replace

FORBIDS = {FORBID_DEPENDENCY: "forbids the dependency", FORBID_IMPORT: "forbids importing"}


def judged_plan(rules: Iterable[Rule], plan: Plan, paths: Sequence[str], had: frozenset[str]) -> Iterator[Finding]:
    """What a plan breaks for certain. `paths`: where it will be carried out, if that is said; `had`: what is there."""
    for rule in rules:
        if paths and not any(applies_to(rule.paths, path) for path in paths):
            continue
        coded = [*judged_installs(rule, plan.installs, had), *_imports(rule, plan.imports)]
        yield from coded
        # What a line's commands do is judged as such.
        judged = {found.line for found in coded} | {named.line for named in plan.installs}
        yield from (each for each in _said(rule, plan.sentences) if each.line not in judged)
        if rule.key == FORBID_PATH:
            for path in paths:
                if applies_to(rule.paths, path) and applies_to(rule.said, path):
                    yield replace(found_by(rule, f"forbids a file at {path!r}", path), path=path)


def _said(rule: Rule, sentences: Sequence[Sentence]) -> Iterator[Finding]:
    """What a plan's words say that it will add or use, of what is forbidden by name."""
    if rule.key not in FORBIDS:
        return
    for said in rule.said:
        name = said.rpartition(":")[2]
        for sentence in brought_in(name, sentences) if "*" not in name else ():
            yield found_by(rule, f"{FORBIDS[rule.key]} {name!r}", name, sentence.line)


def _imports(rule: Rule, modules: Iterable[Imported]) -> Iterator[Finding]:
    for each in modules:
        if rule.key == FORBID_IMPORT and (met := next((name for name in rule.said if each.is_below(name)), "")):
            yield found_by(rule, f"forbids importing {met!r}", each.module, each.line)
        elif rule.key == REJECTED and not each.relative:
            option = next((said for said in rule.said if plain(said) == plain(each.package)), "")
            if option:
                yield doubted(found_by(rule, f"rejected {option!r}, which is imported", option, each.line))
