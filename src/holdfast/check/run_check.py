"""A check at work: which memory counts, what is looked at (git, files, a plan), and what the rules say of it."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from holdfast.check.check_plan import judge_plan
from holdfast.check.check_recalled import find_recalled
from holdfast.check.enforce_rules import APPROVE, APPROVING, FORBID_DEPENDENCY, PATTERNS, EnforceRule
from holdfast.check.file_change import ProposedFile
from holdfast.check.git_diff import (
    INDEX,
    MOST_FILES,
    WORKING,
    NoRepository,
    TooMuchChanged,
    list_tracked_paths,
    read_committed,
    read_diff,
)
from holdfast.check.judge_changes import ChangeJudge
from holdfast.check.plan_text import read_plan
from holdfast.check.rule_cache import collect_rules
from holdfast.check.workspace_packages import ReadFile, WorkspacePackages, read_with_included, read_workspace_packages
from holdfast.core.errors import BadRequest, HoldfastError, NotFound
from holdfast.core.finding import Checked, Finding
from holdfast.core.memory import Entry, Problem, Scope, Status
from holdfast.core.path_scope import applies_to
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.ecosystems.manifest_readers import is_manifest, may_be_included, may_include
from holdfast.recall.packable import packable_filter
from holdfast.system.bounded_regex import find_pattern_error, match_lines
from holdfast.trust.visibility import filter_visible_to_agents
from holdfast.workspace import App

SKIPPED = frozenset((".git", ".holdfast", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox"))


class OutsideWorkspace(BadRequest):
    """A path that is not of this workspace."""

    def __init__(self, path: str, root: str) -> None:
        super().__init__(f"{path!r} is not in {root!r}.", "name files of the workspace, or use -C for another.")


class NoSuchPath(NotFound):
    """A path at which nothing is."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is nothing at {path!r}.", "a deleted file is checked by --diff or --staged.")


class CheckableMemory(Value):
    """The memory that counts, its rules, what of it cannot be used, and how much is held back."""

    entries: tuple[Entry, ...]
    rules: tuple[EnforceRule, ...]
    problems: tuple[Problem, ...]
    held_back: int


def load_checkable_memory(app: App) -> CheckableMemory:
    """Accepted memory that holds now and that the user wrote or allowed, whoever asks."""
    counts = packable_filter(app.index)
    holding = [entry for entry in app.index.select(Select(statuses=(Status.ACCEPTED,))) if counts(entry)]
    entries = filter_visible_to_agents(app, holding)
    rules, slips = collect_rules(entries)
    problems = [_problem(app, entry, slip.reason) for entry, slip in slips]
    usable: list[EnforceRule] = []
    for rule in rules:
        wrong = (
            {pattern: slip for pattern in rule.phrasings if (slip := find_pattern_error(pattern))}
            if rule.key in PATTERNS
            else {}
        )
        entry = next(each for each in entries if each.memory.id == rule.memory) if wrong else None
        problems += [_problem(app, entry, f"`{rule.key}`: {slip}") for slip in wrong.values() if entry]
        usable.append(replace(rule, phrasings=tuple(said for said in rule.phrasings if said not in wrong)))
    return CheckableMemory(
        entries=tuple(entries), rules=tuple(usable), problems=tuple(problems), held_back=len(holding) - len(entries)
    )


def check_diff(app: App, revision: str = "", *, staged: bool = False) -> Checked:
    """What changed since a revision, in a range, or what is staged."""
    root = _root(app)
    diff = read_diff(root, revision, staged=staged)
    where = INDEX if staged else WORKING
    ours = [change for change in diff.changes if not change.path.startswith(".holdfast/")]
    ours = _mark_included(root, where, ours)
    made = _judge_changes(app, ours, diff=True, paths=lambda: list_tracked_paths(root, where))
    return replace(made, unread=_drop_duplicates([*diff.unread, *made.unread]))


def check_files(app: App, given: Sequence[str]) -> Checked:
    """Files as they are, and all files in folders."""
    root = _root(app)
    unread: list[Problem] = []
    names = list(dict.fromkeys(name for path in given for name in _expand_path(root, path)))
    if len(names) > MOST_FILES:
        raise TooMuchChanged(len(names))
    files = read_with_included(root, names, unread)
    manifests = {file.path for file in files if file.included or is_manifest(file.path)}
    before = read_committed(root, manifests) if manifests else {}
    changes = [_as_it_is(file, before, file.path in manifests) for file in files]
    made = _judge_changes(app, changes, diff=False, paths=lambda: list_all_paths(root))
    return replace(made, unread=_drop_duplicates([*unread, *made.unread]))


def _as_it_is(file: ReadFile, before: Mapping[str, str | None] | None, is_known: bool) -> ProposedFile:
    """A file as a change: of a manifest, from what git's newest commit has of it. Others' requirements count alone."""
    known = is_known and before is not None
    return ProposedFile(
        path=file.path, after=file.text, before=(before or {}).get(file.path) if known else None, new=file.asked,
        added=None if file.asked else frozenset(), compared=known, included=file.included,
    )  # fmt: skip


def _mark_included(root: str, where: str, changes: list[ProposedFile]) -> list[ProposedFile]:
    """The changes, with those marked that a file of requirements in the workspace takes in."""
    if not any(may_be_included(change.path) for change in changes):
        return changes
    quiet: list[Problem] = []
    listing = [name for name in list_tracked_paths(root, where) if may_include(name)]
    included = {file.path for file in read_with_included(root, listing, quiet) if file.included}
    return [replace(change, included=change.path in included) for change in changes]


def check_text(
    app: App, text: str, *, name: str = "", paths: Sequence[str] = (), counts: CheckableMemory | None = None
) -> Checked:
    """A plan or any text: what it installs and imports, and what its sentences take up. `name`: where it stands.

    `counts`: what counts, where it was read before.
    """
    counts = counts or load_checkable_memory(app)
    root = _root(app)
    inside = [_relative_path(root, path) for path in paths]
    plan = read_plan(text)
    rules = [rule for rule in counts.rules if not inside or any(map(rule.covers, inside))]
    asks = plan.installs and any(rule.key in APPROVING for rule in rules)
    had = read_workspace_packages(root) if asks else WorkspacePackages(names=frozenset(), unread=())
    sure = list(judge_plan(rules, plan, inside, had.names))
    fitting = [
        entry.memory
        for entry in counts.entries
        if not inside or any(applies_to(entry.memory.paths, path) for path in inside)
    ]
    certain = {(found.memory, found.line) for found in sure}
    doubtful = [found for found in find_recalled(fitting, plan.sentences) if (found.memory, found.line) not in certain]
    findings = [replace(found, path=found.path or name) for found in [*sure, *doubtful]]
    return replace(_build_check_result(counts, findings, files=len(inside)), unread=_drop_duplicates(had.unread))


def _judge_changes(app: App, changes: Sequence[ProposedFile], *, diff: bool, paths: Callable[[], list[str]]) -> Checked:
    counts = load_checkable_memory(app)
    listed = cache(paths)
    judge = ChangeJudge(
        changes, match=match_lines, exists=lambda glob: any(applies_to((glob,), path) for path in listed()), diff=diff
    )
    judged = judge.judged(counts.rules)
    if judged.uncompared:
        app.notices.append(
            "approve_new_dependency was not looked at: without git there is nothing to tell what is new."
        )
    slow = [
        _problem(app, entry, f"the pattern {pattern[:60]!r} took too long, and was given up")
        for memory, pattern in judged.slow
        for entry in counts.entries
        if entry.memory.id == memory
    ]
    made = _build_check_result(counts, judged.findings, files=len(changes))
    return replace(made, unread=judged.unread, problems=(*counts.problems, *slow))


def _build_check_result(counts: CheckableMemory, findings: Iterable[Finding], files: int) -> Checked:
    order = {"error": 0, "warning": 1}
    listed = list(dict.fromkeys(findings))
    # What a memory forbids need not be approved by it as well.
    forbidden = {(f.memory, f.path, f.line, f.what) for f in listed if f.rule == FORBID_DEPENDENCY}
    left = [f for f in listed if f.rule != APPROVE or (f.memory, f.path, f.line, f.what) not in forbidden]
    found = sorted(left, key=lambda f: (f.path, f.line or 0, order[f.severity], -f.confidence, f.memory, f.what))
    return Checked(
        findings=tuple(found), problems=counts.problems, memories=len(counts.entries), rules=len(counts.rules),
        files=files, held_back=counts.held_back,
    )  # fmt: skip


def _problem(app: App, entry: Entry, reason: str) -> Problem:
    shown = (
        f".holdfast/{entry.path}"
        if entry.scope is Scope.WORKSPACE
        else os.path.join(app.root_of(entry.scope), entry.path)
    )
    return Problem(path=shown, line=entry.line, reason=f"{entry.memory.id}: {reason}")


def _root(app: App) -> str:
    return os.path.realpath(app.workspace or os.getcwd())


def _relative_path(root: str, path: str) -> str:
    """A path as the workspace knows it; its folders may be links, it must not lead out."""
    if "\0" in path:
        raise NoSuchPath(path)
    whole = os.path.normpath(os.path.join(os.getcwd(), path))
    # A link as the last part is judged by what it is, not by where it points.
    real = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole)) if whole != root else root
    inside = os.path.relpath(real, root).replace(os.sep, "/")
    if inside == ".." or inside.startswith("../"):
        raise OutsideWorkspace(path, root)
    return inside


def _expand_path(root: str, path: str) -> Iterator[str]:
    inside = _relative_path(root, path)
    whole = os.path.join(root, inside)
    if not os.path.lexists(whole):
        raise NoSuchPath(path)
    if not os.path.isdir(whole) or os.path.islink(whole):
        yield inside
        return
    prefix = "" if inside == "." else f"{inside}/"
    yield from (name for name in list_all_paths(root) if name.startswith(prefix) and not name.startswith(".holdfast/"))


@cache
def list_all_paths(root: str) -> list[str]:
    """Every file of a workspace: as git lists them, or all but what tools keep."""
    try:
        return [name for name in list_tracked_paths(root, WORKING) if not os.path.isdir(os.path.join(root, name))]
    except (NoRepository, HoldfastError):
        return _walk_paths(root)


def _walk_paths(root: str) -> list[str]:
    found: list[str] = []
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if name not in SKIPPED)
        base = os.path.relpath(folder, root)
        found += [name if base == "." else f"{base}/{name}".replace(os.sep, "/") for name in sorted(names)]
        if len(found) > MOST_FILES * 10:
            break
    return found


def _drop_duplicates(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(dict.fromkeys(problems), key=lambda problem: (problem.path, problem.line or 0)))
