"""A plan or text against rules: what its commands install, what its code imports, where it is to be carried out."""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.check.check_installs import as_warning, certain_finding, judge_installs
from holdfast.check.check_recalled import find_additions
from holdfast.check.enforce_rules import (
    FORBID_CALL,
    FORBID_DEPENDENCY,
    FORBID_IMPORT,
    FORBID_PATH,
    REJECTED,
    EnforceRule,
)
from holdfast.check.judge_changes import as_sure
from holdfast.check.plan_text import ParsedPlan, Sentence
from holdfast.core.finding import Finding
from holdfast.core.path_scope import applies_to
from holdfast.core.value import replace
from holdfast.ecosystems.imported_modules import ImportedModule
from holdfast.ecosystems.package_names import plain_name

FORBIDS = {
    FORBID_DEPENDENCY: "forbids the dependency", FORBID_IMPORT: "forbids importing", FORBID_CALL: "forbids calling",
}  # fmt: skip


def judge_plan(
    rules: Iterable[EnforceRule], plan: ParsedPlan, paths: Sequence[str], had: frozenset[str]
) -> Iterator[Finding]:
    """What a plan breaks for certain. `paths`: where it will be carried out, if that is said; `had`: what is there."""
    for rule in rules:
        if not paths or any(map(rule.covers, paths)):
            yield from (as_sure(rule, found) for found in _judge_rule(rule, plan, paths, had))


def _judge_rule(rule: EnforceRule, plan: ParsedPlan, paths: Sequence[str], had: frozenset[str]) -> Iterator[Finding]:
    coded = [*judge_installs(rule, plan.installs, had), *_find_in_imports(rule, plan.imports), *_find_calls(rule, plan)]
    yield from coded
    # What a line's commands do is judged as such.
    judged = {found.line for found in coded} | {named.line for named in plan.installs}
    yield from (each for each in _find_in_sentences(rule, plan.sentences) if each.line not in judged)
    if rule.key == FORBID_PATH:
        for path in paths:
            if rule.covers(path) and applies_to(rule.phrasings, path):
                yield replace(certain_finding(rule, f"forbids a file at {path!r}", path), path=path)


def _find_calls(rule: EnforceRule, plan: ParsedPlan) -> Iterator[Finding]:
    """Calls in a plan's code, where the rule holds everywhere: a piece of code has no path."""
    if rule.key == FORBID_CALL:
        for each in plan.calls:
            if met := next((name for name in rule.phrasings if each.means(name)), ""):
                yield certain_finding(rule, f"forbids calling {met!r}", each.name, each.line)


def _find_in_sentences(rule: EnforceRule, sentences: Sequence[Sentence]) -> Iterator[Finding]:
    """What a plan's words say that it will add or use, of what is forbidden by name."""
    if rule.key not in FORBIDS:
        return
    for said in rule.phrasings:
        name = said.rpartition(":")[2]
        for sentence in find_additions(name, sentences) if "*" not in name else ():
            yield certain_finding(rule, f"{FORBIDS[rule.key]} {name!r}", name, sentence.line)


def _find_in_imports(rule: EnforceRule, modules: Iterable[ImportedModule]) -> Iterator[Finding]:
    for each in modules:
        if rule.key == FORBID_IMPORT and (met := next((name for name in rule.phrasings if each.is_below(name)), "")):
            yield certain_finding(rule, f"forbids importing {met!r}", each.module, each.line)
        elif rule.key == REJECTED and not each.relative:
            names = set(map(plain_name, each.names))
            option = next((said for said in rule.phrasings if plain_name(said) in names), "")
            if option:
                yield as_warning(certain_finding(rule, f"rejected {option!r}, which is imported", option, each.line))
