"""Before a tool runs: whether what it writes or installs breaks memory, said to the agent before the rest."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from holdfast.check.rule_cache import CachedRules, load_cached_rules
from holdfast.core.fence import make_inert
from holdfast.core.word_lists import split_phrases, word_set
from holdfast.inject.select import Injection, InjectionRequest, filter_injectable

if TYPE_CHECKING:
    from holdfast.core.finding import Finding

MOST = 5
LONGEST = 400
SECONDS = 1.0
_WRITES = word_set(
    "content contents file_text new_source new_string new_str newString code_edit edits changes patch patchText"
)
_SCRIPTS = ("command", "cmd", "script", "command_line", "input")
# What a command must hold to install or write anything; most hold none.
_SIGNS = split_phrases(
    "install| add | i | get | require| create |add-dependency|Install-Package|>|tee |Begin Patch|isntall"
)


def find_warnings(asked: InjectionRequest) -> Injection:
    """The warnings for a tool call, or nothing. Nothing is stopped."""
    given = asked.data.get("input")
    if not _may_write_or_install(given):
        return Injection()
    rules = load_cached_rules(asked.app, asked.known)
    return _build_injection(asked, _check_call(asked, rules, given)) if rules else Injection()


def _may_write_or_install(given: object) -> bool:
    """Whether a call may write or install something, by a look at its fields alone."""
    if isinstance(given, str):
        return any(sign in given for sign in _SIGNS)
    if not isinstance(given, Mapping):
        return False
    if not _WRITES.isdisjoint(given):
        return True
    return any(sign in _text(given.get(field)) for field in _SCRIPTS for sign in _SIGNS)


def _text(held: object) -> str:
    if isinstance(held, list):
        return " ".join(map(str, held))
    return held if isinstance(held, str) else ""


def _check_call(asked: InjectionRequest, kept: CachedRules, given: Any) -> "list[Finding]":
    from holdfast.check.enforce_rules import APPROVING, REQUIRE_CHANGE, REQUIRE_PATH, REQUIRE_WITH_NEW
    from holdfast.check.tool_call import find_call_installs, find_written_files
    from holdfast.ecosystems.package_names import last_part, plain_name

    workspace = asked.app.workspace
    cwd = str(asked.event["cwd"] or workspace)
    changes = find_written_files(given, cwd, workspace, lambda path: _read(workspace, path))
    changes = tuple(change for change in changes if not change.path.startswith(".holdfast/"))
    packages = find_call_installs(given)
    found: list[Finding] = []
    # A file that does not exist yet is what a rule may ask for; the hook does not look for it.
    enforced = (
        [rule for rule in kept.enforced if rule.key not in {REQUIRE_PATH, REQUIRE_CHANGE, REQUIRE_WITH_NEW}]
        if changes or packages
        else []
    )
    if changes:
        from holdfast.check.judge_changes import ChangeJudge
        from holdfast.system.bounded_regex import match_lines

        judge = ChangeJudge(
            changes, match=lambda pattern, lines: match_lines(pattern, lines, SECONDS), exists=lambda _: True
        )
        found += judge.judged([*enforced, *kept.rejecting(judge.added_names())]).findings
    if packages:
        from holdfast.check.check_installs import judge_installs

        had = _read_manifest_packages(workspace) if any(rule.key in APPROVING for rule in enforced) else frozenset()
        names = [name for each in packages for name in (each.name, last_part(each.name))]
        rules = [*enforced, *kept.rejecting(map(plain_name, names))]
        found += (each for rule in rules for each in judge_installs(rule, packages, had))
    return found


def _read(workspace: str, path: str) -> str | None:
    """A file's text now; an empty one for what is there and is no text."""
    from holdfast.check.git_diff import UnreadFile, read_file_within, text_of

    if not os.path.lexists(os.path.join(workspace, path)):
        return None
    try:
        return text_of(read_file_within(workspace, path)) or ""
    except UnreadFile:
        return ""


def _read_manifest_packages(workspace: str) -> frozenset[str]:
    from holdfast.check.workspace_packages import read_workspace_packages

    return read_workspace_packages(workspace).names


def _build_injection(asked: InjectionRequest, found: "list[Finding]") -> Injection:
    """Only of memory that holds now and may reach agents, errors first."""
    if not found:
        return Injection()
    from holdfast.core.search import Select
    from holdfast.recall.packable import packable_filter

    counts = packable_filter(asked.known.index, marks=asked.known.marks)
    ids = tuple(dict.fromkeys(each.memory for each in found))
    holding = [entry for entry in asked.known.index.select(Select(ids=ids)) if counts(entry)]
    memories = {entry.memory.id: entry.memory for entry in filter_injectable(asked, holding)}
    told = sorted((each for each in found if each.memory in memories), key=lambda each: each.severity)
    first: dict[tuple[str, str], Finding] = {}
    for each in told:
        first.setdefault((each.memory, each.what), each)
    shown = list(first.values())[:MOST]
    if not shown:
        return Injection()
    named = tuple(dict.fromkeys(each.memory for each in shown))
    text = "\n".join(_line(each) for each in shown)
    return Injection(text=make_inert(text), ids=named, memories=tuple(memories[name] for name in named))


def _line(found: "Finding") -> str:
    place = f"{found.place} " if found.place else ""
    words = f"{place}{found.reason}. “{' '.join(found.title.split())}”"
    cut = words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
    return f"CHECK ({found.memory}): {cut} Comply, or ask the user to supersede or narrow it."
