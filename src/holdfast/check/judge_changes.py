"""Rules on changes: what a diff, a file or a tool call breaks. Certain where `enforce` says so."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from holdfast.check.enforce_rules import APPROVE_RUNTIME, FORBID_CODE, REJECTED, EnforceRule
from holdfast.check.file_change import ProposedFile
from holdfast.check.judge_code import (
    find_error,
    find_forbidden_calls,
    find_forbidden_changes,
    find_missing_changes,
    find_missing_lines,
    read_code_lines,
)
from holdfast.check.read_change import Match, ReadChange
from holdfast.core.finding import Finding, Severity
from holdfast.core.memory import Problem
from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value, replace
from holdfast.ecosystems.dev_dependencies import is_for_development
from holdfast.ecosystems.package_names import NamedPackage, last_part, plain_name

SURE_OF_NAMES = 0.9
# Of a rule that was read from a memory's words and confirmed by nobody.
SURE_OF_WORDS = 0.8


class JudgeResult(Value):
    """What rules say of changes, and what of the changes could not be read."""

    findings: tuple[Finding, ...]
    unread: tuple[Problem, ...]
    slow: tuple[tuple[str, str], ...] = ()
    uncompared: bool = False


class ChangeJudge:
    """Judges rules on the same changes, one after the other."""

    def __init__(
        self, changes: Iterable[ProposedFile], *, match: Match, exists: Callable[[str], bool], diff: bool = True
    ) -> None:
        self._read = [ReadChange(change) for change in changes]
        self._match = match
        self._exists = exists
        self._diff = diff
        self._slow: list[tuple[str, str]] = []
        self._uncompared = False

    def judged(self, rules: Iterable[EnforceRule]) -> JudgeResult:
        """All that the rules find, each name once a line and memory."""
        findings = [as_sure(rule, found) for rule in rules for found in self._of(rule)]
        unread = dict.fromkeys(problem for read in self._read for problem in read.unread)
        return JudgeResult(
            findings=tuple(dict.fromkeys(findings)), unread=tuple(unread), slow=tuple(dict.fromkeys(self._slow)),
            uncompared=self._uncompared,
        )  # fmt: skip

    def added_names(self) -> frozenset[str]:
        """The plain names of what is newly depended on or imported, to know the rules by that may reject it."""
        named = {part for _, each in self._new(self._read) for part in (each.name, last_part(each.name))}
        fresh = (each for read in self._read for each in read.imported if not each.relative)
        return frozenset(map(plain_name, named | {name for each in fresh for name in each.names}))

    def _of(self, rule: EnforceRule) -> Iterator[Finding]:
        read = [each for each in self._read if rule.covers(each.change.path)]
        match rule.key:
            case "forbid_dependency":
                return self._forbidden(rule, read)
            case "approve_new_dependency" | "approve_new_runtime_dependency":
                return self._unapproved(rule, read)
            case "forbid_call":
                return find_forbidden_calls(rule, read)
            case "forbid_change":
                return find_forbidden_changes(rule, read)
            case "require_change" | "require_with_new":
                changed = [each.change.path for each in self._read]
                return find_missing_changes(rule, read, changed) if self._diff else iter(())
            case "require_pattern":
                return find_missing_lines(rule, read, self._match)
            case "forbid_import":
                return _find_forbidden_imports(rule, read)
            case "forbid_path":
                return _find_forbidden_paths(rule, read)
            case "require_path":
                return self._required(rule, read)
            case "forbid_pattern" | "forbid_code":
                return self._patterns(rule, read)
            case _:
                return self._taken_up(rule, read)

    def _forbidden(self, rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
        names = rule.names
        for each, named in self._new(read):
            if any(name.means(named) for name in names):
                yield _finding(rule, f"forbids the dependency {named.name!r}", each, named.line, named.name)

    def _unapproved(self, rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
        names = rule.names
        known = [each for each in read if each.change.compared]
        self._uncompared |= any(not each.change.compared and each.depends for each in read)
        for each, named in self._new(known, anew=True):
            change = each.change
            aside = rule.key == APPROVE_RUNTIME and is_for_development(change.path, change.after or "", named.line)
            if not aside and not any(name.means(named) for name in names):
                reason = f"has every new dependency approved, and {named.name!r} is not"
                yield _finding(rule, reason, each, named.line, named.name)

    def _new(self, read: Sequence[ReadChange], *, anew: bool = False) -> Iterator[tuple[ReadChange, NamedPackage]]:
        """What manifests name that none of these manifests named before."""
        before: frozenset[tuple[str, str]] = frozenset()
        if self._diff or anew:
            before = before.union(*(each.depended for each in read))
        for each in read:
            for named in each.depends:
                if (named.ecosystem, named.normal) not in before:
                    yield each, named

    def _required(self, rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
        for glob in rule.phrasings:
            took = any(each.change.deleted and applies_to((glob,), each.change.path) for each in self._read)
            calls = bool(rule.paths) and any(each.change.new for each in read)
            asked = bool(read) if not self._diff else took or calls
            if asked and not self._exists(glob):
                yield Finding(
                    memory=rule.memory, severity=Severity.ERROR, rule=rule.key, title=rule.title, what=glob,
                    reason=f"requires a file at {glob!r}, and there is none",
                )  # fmt: skip

    def _patterns(self, rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
        for each in read:
            for pattern in rule.phrasings if each.change.after is not None else ():
                lines = each.lines
                if lines and rule.key == FORBID_CODE:
                    lines = read_code_lines(each, texts=any(mark in pattern for mark in "\"'`"))
                places = self._match(pattern, [line for _, line in lines]) if lines else ()
                if places is None:
                    self._slow.append((rule.memory, pattern))
                for place in places or ():
                    number, line = lines[place]
                    yield _finding(rule, f"forbids the pattern '{pattern}'", each, number, line.strip()[:120])

    def _taken_up(self, rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
        """A rejected option that is newly depended on or imported."""
        options = {plain_name(option): option for option in rule.phrasings}
        for each, named in self._new(read):
            option = options.get(plain_name(last_part(named.name))) or options.get(plain_name(named.name))
            if option:
                yield _warning(rule, f"rejected {option!r}, which is depended on", each, named.line, option)
        for each in read:
            for imported in each.imported:
                names = () if imported.relative else map(plain_name, imported.names)
                option = next(filter(None, map(options.get, names)), None)
                if option:
                    yield _warning(rule, f"rejected {option!r}, which is imported", each, imported.line, option)


def _find_forbidden_imports(rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
    for each in read:
        seen: set[tuple[int, str]] = set()
        for imported in each.imported:
            # `from a import b` is one import, whether the rule means `a` or `a.b`.
            met = next((module for module in rule.phrasings if imported.is_below(module)), None)
            if met and (imported.line, met) not in seen:
                seen.add((imported.line, met))
                yield _finding(rule, f"forbids importing {met!r}", each, imported.line, imported.module)


def _find_forbidden_paths(rule: EnforceRule, read: Sequence[ReadChange]) -> Iterator[Finding]:
    for each in read:
        if each.change.new and not each.change.deleted and applies_to(rule.phrasings, each.change.path):
            yield _finding(rule, f"forbids a file at {each.change.path!r}", each, None, each.change.path)


def _finding(rule: EnforceRule, reason: str, read: ReadChange, line: int | None, what: str) -> Finding:
    return find_error(rule, reason, read.change.path, line, what)


def as_sure(rule: EnforceRule, found: Finding) -> Finding:
    """What a rule found that nobody confirmed is a warning."""
    if not rule.proposed:
        return found
    return replace(found, severity=Severity.WARNING, confidence=min(found.confidence, SURE_OF_WORDS))


def _warning(rule: EnforceRule, reason: str, read: ReadChange, line: int, what: str) -> Finding:
    return Finding(
        memory=rule.memory, severity=Severity.WARNING, rule=REJECTED, reason=reason, title=rule.title,
        path=read.change.path, line=line, what=what, confidence=SURE_OF_NAMES,
    )  # fmt: skip
