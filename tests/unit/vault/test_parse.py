"""How frontmatter is read: by the field's type, with problems that say where and why."""

import pytest

from holdfast.core.memory import (
    Citation,
    Evidence,
    Memory,
    MemoryFile,
    MemoryType,
    RejectedOption,
    SaidBy,
    Scope,
    Status,
)
from holdfast.vault.parse_memory import parse


def read(text: str | bytes) -> MemoryFile:
    return parse(text if isinstance(text, bytes) else text.encode(), path="x.md", scope=Scope.USER)


def memory(keys: str, body: str = "") -> Memory:
    file = read(f"---\nid: DEC-1\n{keys}\n---\n{body}")
    assert file.problems == ()
    return file.entries[0].memory


def reason(keys: str) -> str:
    file = read(f"---\nid: DEC-1\n{keys}\n---\n")
    assert file.entries == ()
    [problem] = file.problems
    return f"{problem.line}: {problem.reason}"


def test_what_is_left_out_is_taken_as_agreed() -> None:
    found = memory("", "\nUse Textual\n\nIt is fast.\n")

    assert (found.type, found.status, found.said_by) == (MemoryType.DECISION, Status.ACCEPTED, SaidBy.USER)
    assert found.title == "Use Textual"
    assert found.body == "Use Textual\n\nIt is fast."


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [
        ("DEC", "decision"),
        ("ASM", "assumption"),
        ("INV", "invariant"),
        ("FAIL", "failure"),
        ("LRN", "learning"),
        ("PAT", "pattern"),
    ],
)
def test_the_prefix_of_an_id_tells_its_type(prefix: str, kind: str) -> None:
    assert read(f"---\nid: {prefix}-001\n---\n").entries[0].memory.type == kind


def test_an_entry_knows_its_place() -> None:
    file = read("Preamble\n---\nid: DEC-1\n---\n---\nid: DEC-2\n---\n")

    assert [(entry.memory.id, entry.line) for entry in file.entries] == [("DEC-1", 2), ("DEC-2", 5)]
    assert {(entry.path, entry.scope, entry.sha256) for entry in file.entries} == {("x.md", Scope.USER, file.sha256)}


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("no", "no"),
        ("1.10", "1.10"),
        ("null", "null"),
        ("2026-11-15", "2026-11-15"),
        ("0x1F", "0x1F"),
        ("'it''s'", "it's"),
    ],
)
def test_text_is_text_whatever_yaml_would_guess(written: str, text: str) -> None:
    assert memory(f"choice: {written}").choice == text


def test_every_kind_of_value_is_read() -> None:
    found = memory(
        "tags: [a, 1.10]\npaths: src/**\nattempts: 3\nconfidence: .5\nvalid_from: 2026-11-15\nvalid_until: null\n"
        "supersedes: DEC-0\nevidence: [{event: 01J, quote: no}]\ncites:\n- path: a.py\n  lines: 1-2\n"
        "enforce: {forbid: [x]}"
    )

    assert found.tags == ("a", "1.10")
    assert found.paths == ("src/**",)
    assert (found.attempts, found.confidence) == (3, 0.5)
    assert (found.valid_from, found.valid_until) == ("2026-11-15", "")
    assert found.supersedes == ("DEC-0",)
    assert found.evidence == (Evidence(event="01J", quote="no"),)
    assert found.cites == (Citation(path="a.py", lines="1-2"),)
    assert found.enforce == {"forbid": ["x"]}


@pytest.mark.parametrize(
    "written",
    ["[{option: Qt, reason: too heavy}]", "\n  - Qt: too heavy", "\n- 'Qt: too heavy'", "'Qt: too heavy'"],
)
def test_a_rejected_option_is_read_in_each_of_its_forms(written: str) -> None:
    assert memory(f"rejected: {written}").rejected == (RejectedOption(option="Qt", reason="too heavy"),)


@pytest.mark.parametrize("key", ["tags", "paths", "rejected", "evidence", "supersedes", "enforce"])
def test_an_empty_value_is_an_empty_list_or_mapping(key: str) -> None:
    assert not getattr(memory(f"{key}:"), key)


def test_unknown_keys_are_kept_with_plain_values() -> None:
    found = memory(
        "owner: Jo\nn: 3\nf: 0.5\nv: 1.10\nz: 007\nyes: yes\nt: true\nq: '3'\nnothing:\nd: 2026-01-01\n1: {a: [~]}"
    )

    assert found.extra == {
        "owner": "Jo",
        "n": 3,
        "f": 0.5,
        "v": "1.10",
        "z": "007",
        "yes": "yes",
        "t": True,
        "q": "3",
        "nothing": None,
        "d": "2026-01-01",
        "1": {"a": [None]},
    }


def test_superseded_by_is_derived_and_so_only_an_extra() -> None:
    assert memory("superseded_by: DEC-2").extra == {"superseded_by": "DEC-2"}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("status: done", "3: `status` is 'done'"),
        ("type: Decision", "3: `type` is 'Decision'"),
        ("tags: {a: b}", "3: `tags` is not a list"),
        ("\ntags:\n  - a\n  - [b]", "6: `tags` is not text"),
        ("title: [a]", "3: `title` is not text"),
        ("attempts: many", "3: `attempts` is not a whole number"),
        ("attempts: -1", "3: `attempts` is not a whole number"),
        ("confidence: 1.5", "3: `confidence` is not a number from 0 to 1"),
        ("confidence: nan", "3: `confidence` is not a number from 0 to 1"),
        ("updated: soon", "3: `updated` is not a date or time"),
        ("enforce: [a]", "3: `enforce` is not a mapping"),
        ("evidence: [{quote: x}]", "3: `evidence` is not a list of `{event, quote}`"),
        ("cites: [a.py]", "3: `cites` is not a list of `{path, lines, sha256}`"),
        ("rejected: [{reason: x}]", "3: `rejected` is not a list of `{option, reason}`"),
        ("supersedes: [a b]", "3: `supersedes` is not an id"),
        ("x: &a 1", "3: sets the anchor '&a'"),
        ("x: *a", "3: uses the alias '*a'"),
        ("x: !t 1", "3: uses the tag '!t'"),
        ("x: 1\nx: 2", "4: key 'x' stands twice"),
        ("x:\n\t- 1", "4: no YAML: "),
        ("x: a: b", "3: no YAML: "),
        ("x: [[[[[[[[[1]]]]]]]]]", "3: nested deeper than 8"),
        ("x: a\0b", "3: holds the character U+0000"),
        ("y: 1\n...", "4: a line `...`"),
        ("? x\n: y", "3: key 'x' does not start its line"),
    ],
)
def test_what_does_not_read_is_a_problem_with_its_line(keys: str, expected: str) -> None:
    assert reason(keys).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntype: decision\n---\n", "has no `id`"),
        ("---\nid: X-1\n---\n", "has no `type`, and id 'X-1' does not tell it"),
        ("---\nid: ../x\n---\n", "`id` is not an id"),
        ("---\nid: .hidden\n---\n", "`id` is not an id"),
        (f"---\nid: {'x' * 65}\n---\n", "`id` is not an id"),
        ("---\n{\nid: DEC-1\n}\n---\n", "the frontmatter is not a list of `key: value` lines"),
        ("# A page\n", "holds no memory"),
        ("", "holds no memory"),
        (b"---\nid: DEC-1\n---\n\nna\xefve\n", "is not UTF-8: byte 0xef"),
        (b"\xff\xfe-\0-\0-\0", "is not UTF-8: byte 0xff"),
    ],
)
def test_a_file_that_holds_no_memory_says_why(text: str | bytes, expected: str) -> None:
    [problem] = read(text).problems

    assert problem.reason.startswith(expected)
    assert problem.path == "x.md"
    assert problem.line


def test_a_broken_entry_does_not_take_its_neighbours_along() -> None:
    file = read("---\nid: DEC-1\n---\n---\nid: DEC-2\nstatus: odd\n---\n---\nid: DEC-3\n---\n")

    assert [entry.memory.id for entry in file.entries] == ["DEC-1", "DEC-3"]
    assert [problem.line for problem in file.problems] == [6]


def test_a_file_from_windows_reads_like_any_other() -> None:
    file = read("\ufeff---\r\nid: DEC-1\r\ntitle: T\r\n---\r\n\r\none\r\n\r\ntwo\r\n")

    assert file.problems == ()
    assert (file.entries[0].memory.title, file.entries[0].memory.body) == ("T", "one\n\ntwo")
