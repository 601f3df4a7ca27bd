"""Rules on changes: every key, what counts as added, where a memory applies."""

from collections.abc import Sequence
from typing import Any

import pytest

from holdfast.check.enforce_rules import EnforceRule, UnusableKey, rejected_options_rule, rules_of
from holdfast.check.file_change import ProposedFile
from holdfast.check.judge_changes import ChangeJudge, JudgeResult
from holdfast.core.memory import Memory, MemoryType, RejectedOption
from holdfast.system.bounded_regex import match_lines


def memory(enforce: dict[str, Any], paths: Sequence[str] = (), **more: Any) -> Memory:
    return Memory(id="DEC-1", type=MemoryType.DECISION, title="T", enforce=enforce, paths=tuple(paths), **more)


def judged(kept: Memory, *changes: ProposedFile, diff: bool = True, there: Sequence[str] = ()) -> JudgeResult:
    rules: list[EnforceRule] = [each for each in rules_of(kept) if isinstance(each, EnforceRule)]
    rejecting = rejected_options_rule(kept)
    judge = ChangeJudge(changes, match=match_lines, exists=lambda glob: glob in there, diff=diff)
    return judge.judged([*rules, *([rejecting] if rejecting else [])])


def seen(found: JudgeResult) -> list[tuple[str, str, int | None, str]]:
    return [(each.rule, each.path, each.line, each.what) for each in found.findings]


def requirements(after: str, before: str | None = None, path: str = "requirements.txt", **more: Any) -> ProposedFile:
    return ProposedFile(path=path, after=after, before=before, **more)


FORBIDS = {"forbid_dependency": "urwid"}


def test_a_new_dependency_that_is_forbidden() -> None:
    found = judged(memory(FORBIDS), requirements("rich\nUrwid==1\n", "rich\n"))

    assert seen(found) == [("forbid_dependency", "requirements.txt", 2, "Urwid")]
    assert found.findings[0].severity == "error"


def test_a_dependency_that_was_there_before_is_not_new() -> None:
    assert seen(judged(memory(FORBIDS), requirements("urwid==2\n", "urwid==1\n"))) == []


def test_one_that_moves_to_another_manifest_is_not_new() -> None:
    moved = requirements('[project]\ndependencies = ["urwid"]\n', None, path="pyproject.toml", new=True)

    assert seen(judged(memory(FORBIDS), requirements("", "urwid\n"), moved)) == []


def test_one_that_moves_to_where_the_memory_holds_is_new_there() -> None:
    kept = memory(FORBIDS, ["b/**"])
    gone, come = requirements("", "urwid\n", "a/requirements.txt"), requirements("urwid\n", "", "b/requirements.txt")

    assert [each[1] for each in seen(judged(kept, gone, come))] == ["b/requirements.txt"]


def test_in_files_all_that_stands_there_counts() -> None:
    assert len(seen(judged(memory(FORBIDS), requirements("urwid\n", "urwid\n"), diff=False))) == 1


@pytest.mark.parametrize(
    ("approved", "found"),
    [(True, ["a", "b-two"]), (["A"], ["b-two"]), (["B_Two", "a"], []), ("*", []), ([], ["a", "b-two"]), (False, [])],
)
def test_new_dependencies_that_nobody_approved(approved: Any, found: list[str]) -> None:
    change = requirements("old\na\nb-two\n", "old\n")

    assert [each[3] for each in seen(judged(memory({"approve_new_dependency": approved}), change))] == found


def test_what_cannot_be_compared_is_not_called_new() -> None:
    found = judged(memory({"approve_new_dependency": True}), requirements("a\n", compared=False), diff=False)

    assert (seen(found), found.uncompared) == ([], True)


def test_imports_on_new_lines_only() -> None:
    change = ProposedFile(path="src/a.py", after="import urwid\nimport urwid.x\n", before="", added=frozenset({2}))

    assert seen(judged(memory({"forbid_import": ["urwid"]}), change)) == [("forbid_import", "src/a.py", 2, "urwid.x")]


def test_one_import_of_several_names_is_found_once() -> None:
    found = judged(memory({"forbid_import": ["app"]}), ProposedFile(path="a.py", after="from app import b, c\n"))

    assert len(found.findings) == 1


def test_paths_that_are_new() -> None:
    kept = memory({"forbid_path": ["legacy/**", "*.bak"]})
    changes = [
        ProposedFile(path="legacy/a.py", after="", new=True), ProposedFile(path="legacy/old.py", after="x"),
        ProposedFile(path="x.bak", after=None, new=True), ProposedFile(path="legacy/gone.py", after=None, deleted=True),
    ]  # fmt: skip

    assert [each[1] for each in seen(judged(kept, *changes))] == ["legacy/a.py", "x.bak"]


@pytest.mark.parametrize(
    ("paths", "change", "diff", "there", "found"),
    [
        ([], ProposedFile(path="docs/api.md", after=None, deleted=True), True, [], 1),
        ([], ProposedFile(path="docs/api.md", after=None, deleted=True), True, ["docs/api.md"], 0),
        ([], ProposedFile(path="src/a.py", after="x", new=True), True, [], 0),
        (["src/**"], ProposedFile(path="src/a.py", after="x", new=True), True, [], 1),
        (["src/**"], ProposedFile(path="src/a.py", after="x"), True, [], 0),
        (["src/**"], ProposedFile(path="web/a.py", after="x", new=True), True, [], 0),
        (["src/**"], ProposedFile(path="src/a.py", after="x", new=True), True, ["docs/api.md"], 0),
        ([], ProposedFile(path="src/a.py", after="x", new=True), False, [], 1),
    ],
)
def test_paths_that_must_be_there(
    paths: list[str], change: ProposedFile, diff: bool, there: list[str], found: int
) -> None:
    kept = memory({"require_path": ["docs/api.md"]}, paths)

    assert len(judged(kept, change, diff=diff, there=there).findings) == found


def test_patterns_on_new_lines() -> None:
    change = ProposedFile(path="a.js", after="console.log(1)\nx\nconsole.log(2)\n", added=frozenset({2, 3}))

    found = judged(memory({"forbid_pattern": r"console\.log"}, ["*.js"]), change)

    assert seen(found) == [("forbid_pattern", "a.js", 3, "console.log(2)")]


def test_a_memory_holds_only_where_its_paths_say() -> None:
    kept = memory({"forbid_pattern": "x", "forbid_import": "x", **FORBIDS}, ["web/**"])

    assert seen(judged(kept, ProposedFile(path="src/a.py", after="import x\n"), requirements("urwid\n", ""))) == []


def test_a_rejected_option_that_is_depended_on_or_imported_is_a_warning() -> None:
    names = ("curses", "left-pad", "a long one here")
    kept = memory({}, rejected=tuple(RejectedOption(option=name) for name in names))
    manifest = requirements('{"dependencies": {"left-pad": "1"}}', "{}", "package.json")

    found = judged(kept, manifest, ProposedFile(path="a.py", after="import curses\nfrom .curses import x\n"))

    assert seen(found) == [("rejected", "package.json", 1, "left-pad"), ("rejected", "a.py", 1, "curses")]
    assert {(str(each.severity), each.confidence) for each in found.findings} == {("warning", 0.9)}


def test_what_cannot_be_read_is_said_once_and_stops_nothing() -> None:
    found = judged(
        memory({**FORBIDS, "approve_new_dependency": True, "forbid_import": "x"}),
        requirements("{", "{}", "package.json"),
        ProposedFile(path="a.py", after="def ("), requirements("urwid\n", ""),
    )  # fmt: skip

    assert {each.path for each in found.unread} == {"package.json", "a.py"}
    assert len(found.unread) == 2
    assert "forbid_dependency" in {each.rule for each in found.findings}


@pytest.mark.parametrize(
    ("enforce", "words"),
    [
        ({"forbid_dependancy": "x"}, "knows no 'forbid_dependancy'"),
        ({"forbid_dependency": 3}, "takes a text or a list"),
        ({"forbid_dependency": {"a": 1}}, "takes a text or a list"),
        ({"forbid_dependency": ["ok", 3]}, "'3' is no text"),
        ({"forbid_dependency": "pydantic<2"}, "versions are not compared"),
        ({"forbid_pattern": "x" * 501}, "more than 500 characters"),
        ({"forbid_import": ["x"] * 501}, "more than 500 entries"),
        ({"approve_new_dependency": 1.5}, "or `true`"),
    ],
)
def test_keys_that_cannot_be_used_are_said_and_the_rest_counts(enforce: dict[str, Any], words: str) -> None:
    found = list(rules_of(memory({**enforce, "forbid_path": "x"})))

    assert [each.reason for each in found if isinstance(each, UnusableKey) and words in each.reason]
    assert "forbid_path" in [each.key for each in found if isinstance(each, EnforceRule)]
