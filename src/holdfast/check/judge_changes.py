"""Rules on changes: what a diff, a file or a tool call breaks. Certain where `enforce` says so."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from holdfast.check.enforce_rules import REJECTED, EnforceRule
from holdfast.check.file_change import ProposedFile
from holdfast.core.finding import Finding, Severity
from holdfast.core.memory import Problem
from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value
from holdfast.ecosystems.imported_modules import ImportedModule
from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.manifest_readers import read_manifest
from holdfast.ecosystems.package_names import NamedPackage, last_part, plain_name
from holdfast.ecosystems.source_imports import read_imports, reads_imports
from holdfast.ecosystems.unreadable_text import Unreadable

SURE_OF_NAMES = 0.9
LONGEST_LINE = 2000

# Pattern, lines → the places in the lines that match; None where the pattern cannot be used or took too long.
Match = Callable[[str, Sequence[str]], Sequence[int] | None]


class JudgeResult(Value):
    """What rules say of changes, and what of the changes could not be read."""

    findings: tuple[Finding, ...]
    unread: tuple[Problem, ...]
    slow: tuple[tuple[str, str], ...] = ()
    uncompared: bool = False


class _ReadChange:
    """A change, and what it names; each read when a rule first asks, and once."""

    def __init__(self, change: ProposedFile) -> None:
        self.change = change
        self.unread: list[Problem] = []

    @cached_property
    def depends(self) -> tuple[NamedPackage, ...]:
        """The packages that a manifest names now."""
        contents = self._read_manifest(self.change.after, aloud=True)
        self.unread += [Problem(path=self.change.path, reason=gap.reason, line=gap.line) for gap in contents.gaps]
        return contents.packages

    @cached_property
    def depended(self) -> frozenset[tuple[str, str]]:
        """The packages that it named before."""
        return frozenset((each.ecosystem, each.normal) for each in self._read_manifest(self.change.before).packages)

    @cached_property
    def imported(self) -> tuple[ImportedModule, ...]:
        """The modules that it newly imports."""
        change = self.change
        if change.after is None or not reads_imports(change.path):
            return ()
        try:
            found = read_imports(change.path, change.after)
        except Unreadable as error:
            self.unread.append(Problem(path=change.path, reason=error.reason, line=error.line))
            return ()
        return tuple(each for each in found if change.added is None or each.line in change.added)

    @cached_property
    def lines(self) -> list[tuple[int, str]]:
        """Its new lines, by their number."""
        text = self.change.after or ""
        numbered = enumerate(text.split("\n"), start=1)
        return [(n, line[:LONGEST_LINE]) for n, line in numbered if self.change.added is None or n in self.change.added]

    def _read_manifest(self, text: str | None, *, aloud: bool = False) -> ManifestContents:
        try:
            return read_manifest(self.change.path, text or "", included=self.change.included)
        except Unreadable as error:
            if aloud:
                self.unread.append(Problem(path=self.change.path, reason=error.reason, line=error.line))
            return ManifestContents()


class ChangeJudge:
    """Judges rules on the same changes, one after the other."""

    def __init__(
        self, changes: Iterable[ProposedFile], *, match: Match, exists: Callable[[str], bool], diff: bool = True
    ) -> None:
        self._read = [_ReadChange(change) for change in changes]
        self._match = match
        self._exists = exists
        self._diff = diff
        self._slow: list[tuple[str, str]] = []
        self._uncompared = False

    def judged(self, rules: Iterable[EnforceRule]) -> JudgeResult:
        """All that the rules find, each name once a line and memory."""
        findings = [found for rule in rules for found in self._of(rule)]
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
        read = [each for each in self._read if applies_to(rule.paths, each.change.path)]
        match rule.key:
            case "forbid_dependency":
                return self._forbidden(rule, read)
            case "approve_new_dependency":
                return self._unapproved(rule, read)
            case "forbid_import":
                return _find_forbidden_imports(rule, read)
            case "forbid_path":
                return _find_forbidden_paths(rule, read)
            case "require_path":
                return self._required(rule, read)
            case "forbid_pattern":
                return self._patterns(rule, read)
            case _:
                return self._taken_up(rule, read)

    def _forbidden(self, rule: EnforceRule, read: Sequence[_ReadChange]) -> Iterator[Finding]:
        names = rule.names
        for each, named in self._new(read):
            if any(name.means(named) for name in names):
                yield _finding(rule, f"forbids the dependency {named.name!r}", each, named.line, named.name)

    def _unapproved(self, rule: EnforceRule, read: Sequence[_ReadChange]) -> Iterator[Finding]:
        names = rule.names
        known = [each for each in read if each.change.compared]
        self._uncompared |= any(not each.change.compared and each.depends for each in read)
        for each, named in self._new(known, anew=True):
            if not any(name.means(named) for name in names):
                reason = f"has every new dependency approved, and {named.name!r} is not"
                yield _finding(rule, reason, each, named.line, named.name)

    def _new(self, read: Sequence[_ReadChange], *, anew: bool = False) -> Iterator[tuple[_ReadChange, NamedPackage]]:
        """What manifests name that none of these manifests named before."""
        before: frozenset[tuple[str, str]] = frozenset()
        if self._diff or anew:
            before = before.union(*(each.depended for each in read))
        for each in read:
            for named in each.depends:
                if (named.ecosystem, named.normal) not in before:
                    yield each, named

    def _required(self, rule: EnforceRule, read: Sequence[_ReadChange]) -> Iterator[Finding]:
        for glob in rule.phrasings:
            took = any(each.change.deleted and applies_to((glob,), each.change.path) for each in self._read)
            calls = bool(rule.paths) and any(each.change.new for each in read)
            asked = bool(read) if not self._diff else took or calls
            if asked and not self._exists(glob):
                yield Finding(
                    memory=rule.memory, severity=Severity.ERROR, rule=rule.key, title=rule.title, what=glob,
                    reason=f"requires a file at {glob!r}, and there is none",
                )  # fmt: skip

    def _patterns(self, rule: EnforceRule, read: Sequence[_ReadChange]) -> Iterator[Finding]:
        for each in read:
            lines = each.lines if each.change.after is not None else []
            for pattern in rule.phrasings if lines else ():
                places = self._match(pattern, [line for _, line in lines])
                if places is None:
                    self._slow.append((rule.memory, pattern))
                for place in places or ():
                    number, line = lines[place]
                    reason = f"forbids the pattern '{pattern}'"
                    yield _finding(rule, reason, each, number, line.strip()[:120])

    def _taken_up(self, rule: EnforceRule, read: Sequence[_ReadChange]) -> Iterator[Finding]:
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


def _find_forbidden_imports(rule: EnforceRule, read: Sequence[_ReadChange]) -> Iterator[Finding]:
    for each in read:
        seen: set[tuple[int, str]] = set()
        for imported in each.imported:
            # `from a import b` is one import, whether the rule means `a` or `a.b`.
            met = next((module for module in rule.phrasings if imported.is_below(module)), None)
            if met and (imported.line, met) not in seen:
                seen.add((imported.line, met))
                yield _finding(rule, f"forbids importing {met!r}", each, imported.line, imported.module)


def _find_forbidden_paths(rule: EnforceRule, read: Sequence[_ReadChange]) -> Iterator[Finding]:
    for each in read:
        if each.change.new and not each.change.deleted and applies_to(rule.phrasings, each.change.path):
            yield _finding(rule, f"forbids a file at {each.change.path!r}", each, None, each.change.path)


def _finding(rule: EnforceRule, reason: str, read: _ReadChange, line: int | None, what: str) -> Finding:
    return Finding(
        memory=rule.memory, severity=Severity.ERROR, rule=rule.key, reason=reason, title=rule.title,
        path=read.change.path, line=line, what=what,
    )  # fmt: skip


def _warning(rule: EnforceRule, reason: str, read: _ReadChange, line: int, what: str) -> Finding:
    return Finding(
        memory=rule.memory, severity=Severity.WARNING, rule=REJECTED, reason=reason, title=rule.title,
        path=read.change.path, line=line, what=what, confidence=SURE_OF_NAMES,
    )  # fmt: skip
