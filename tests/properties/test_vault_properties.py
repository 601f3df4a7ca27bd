"""What holds for every memory and every file: nothing is lost, nothing smuggled in, nothing raises."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.core.errors import BadRequest
from holdfast.core.file_names import file_name, path_components, title_slug
from holdfast.core.memory import Citation, Evidence, Memory, MemoryType, RejectedOption, SaidBy, Scope, Status
from holdfast.core.memory_json import from_json, to_json
from holdfast.core.value import names_of, replace
from holdfast.vault.edit_entry import NotWritable, remove_entry, render_new_file, replace_entry
from holdfast.vault.frontmatter import BadFrontmatter, read_block
from holdfast.vault.parse_memory import parse
from holdfast.vault.render_memory import render, render_scalar

NASTY = (
    "---",
    "\n---\nid: DEC-EVIL00\ntype: decision\n---\n",
    "\\---",
    "--- \r",
    "# no comment",
    "a # b",
    "a: b",
    "a:",
    "- a",
    "? a",
    "* a",
    "&a",
    "!x",
    "'",
    '"',
    "\\",
    "  led",
    "trailed  ",
    "\u2028",
    "\u2029",
    "\x85",
    "\ufeff",
    "\x00",
    "\x1b[31m",
    "\r",
    "\r\n",
    "\t",
    "~",
    "null",
    "no",
    "1.10",
    "1_000",
    "12:30:45",
    "2026-11-15",
    ".inf",
    "0x1F",
    "1e5",
    "...",
    "{a}",
    "[a",
    "a, b",
    "%YAML",
    "@x",
    "`x`",
    "```",
    "~~~~",
    "👩‍👩‍👧",
    "\u202egnp.exe",
    "日本語",
    "<<",
    "=",
    "y" * 200,
)
anything = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.sampled_from(NASTY),
    st.lists(st.sampled_from((*NASTY, "word", " ", "\n", "\n\n")), max_size=6).map("".join),
)
ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)
dates = st.one_of(st.just(""), st.dates().map(str), st.datetimes().map(lambda time: time.isoformat() + "Z"))
lists = st.lists(anything, max_size=3).map(tuple)
leaves = st.one_of(
    anything, st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False)
)
keys = anything.map(lambda text: text[:50])
values = st.one_of(
    leaves, st.lists(leaves, max_size=3), st.dictionaries(keys, leaves | st.lists(leaves, max_size=2), max_size=3)
)
foreign_keys = keys.filter(lambda key: key not in names_of(Memory))
memories = st.builds(
    Memory,
    id=ids,
    type=st.sampled_from(MemoryType),
    status=st.sampled_from(Status),
    title=anything,
    body=anything,
    category=anything,
    tags=lists,
    paths=lists,
    question=anything,
    choice=anything,
    rejected=st.lists(st.builds(RejectedOption, option=anything, reason=anything), max_size=3).map(tuple),
    enforce=st.dictionaries(keys, values, max_size=2),
    error_type=anything,
    error_message=anything,
    root_cause=anything,
    context=anything,
    attempts=st.none() | st.integers(0, 10**9),
    fact=anything,
    confidence=st.none() | st.floats(0, 1),
    said_by=st.sampled_from(SaidBy),
    evidence=st.lists(st.builds(Evidence, event=anything, quote=anything), max_size=2).map(tuple),
    cites=st.lists(st.builds(Citation, path=anything, lines=anything, sha256=anything, marks=anything), max_size=2).map(
        tuple
    ),
    supersedes=st.lists(ids, max_size=3).map(tuple),
    valid_from=dates,
    valid_until=dates,
    source=anything,
    updated=dates,
    because=anything,
    extra=st.dictionaries(foreign_keys, values, max_size=3),
)
thorough = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(text: str) -> list[Memory]:
    file = parse(text.encode(), path="x.md", scope=Scope.WORKSPACE)
    assert file.problems == ()
    return [entry.memory for entry in file.entries]


@thorough
@given(memories)
def test_a_memory_that_was_written_is_read_as_the_same_memory(memory: Memory) -> None:
    assert read(render(memory)) == [memory]


@thorough
@given(memories)
def test_what_is_written_can_be_proven_to_read_back(memory: Memory) -> None:
    assert render_new_file(memory) == render(memory)


@thorough
@given(memories)
def test_the_json_form_loses_nothing(memory: Memory) -> None:
    assert from_json(json.loads(json.dumps(to_json(memory)))) == memory


@thorough
@given(st.lists(memories, min_size=2, max_size=4))
def test_files_written_one_after_the_other_hold_all_their_memories(several: list[Memory]) -> None:
    closed = [replace(memory, body=re.sub("[`~]", "'", memory.body)) for memory in several]

    assert read("".join(map(render, closed))) == closed


@thorough
@given(anything, st.booleans())
@example("a:b", True)
@example("", False)
def test_a_scalar_stands_on_one_line_and_reads_back(text: str, flow: bool) -> None:
    written = render_scalar(text, flow=flow)

    block = read_block(f"id: [{written}, {written}]\n" if flow else f"id: {written}\n")

    assert "\n" not in written
    node = block.pairs["id"][1]
    found = [item.text for item in node.items] if flow else [node.text]  # type: ignore[union-attr]  # the shape is ours
    assert found == [text] * len(found)


@thorough
@given(memories, memories)
def test_a_memory_can_become_any_other_in_place(old: Memory, new: Memory) -> None:
    assert read(replace_entry(render(old), 1, new)) == [new]


# Files as people write them: each piece is text, the key it belongs to, and whether it is only a remark.


@dataclass(frozen=True)
class Piece:
    text: str
    key: str = ""
    remark: bool = False


HAND_WRITTEN: dict[str, tuple[str, ...]] = {
    "type": (" decision", ' "decision"', "   decision"),
    "status": (" accepted", "\t'accepted'", " superseded"),
    "title": (
        " Use Textual",
        ' "Use \\u0054extual"',
        " |\n  Use\n  Textual",
        " >-\n  Use\n  Textual",
        "\n  Use\n  Textual",
    ),
    "tags": (" [ui, tui]", "\n  - ui\n  - 'tui'", "\n- ui\n# inside\n- tui", " ui", "", " [ ui,\n   tui ]"),
    "paths": (" src/**", ' ["**/*.py"]', "\n    - src/**"),
    "choice": (" no", " Textual", " 'it''s'"),
    "rejected": ("\n  - Qt: heavy\n  - urwid", " [{option: Qt, reason: heavy}]", "\n- option: Qt\n  reason: heavy"),
    "confidence": (" 0.90", " 1"),
    "attempts": (" 3", " '3'"),
    "supersedes": (" [DEC-001]", " DEC-001"),
    "valid_until": (" null", " 2027-01-01", ""),
    "owner": (" Jo", " {name: Jo, since: 2020}", "\n  name: Jo", " 1.10", " |2-\n    kept\n\n  so"),
    "x-odd key": (" yes", " 'a: b'", ""),
}
remarks = st.sampled_from(("", "", "# a remark\n", "\n", "# key: value\n"))
bodies = st.sampled_from(
    (
        "",
        "\nText.\n",
        "Text.\n",
        "\n\n# Heading\n\nText\n\n",
        "\nA rule:\n\n---\n\nand on.\n",
        "\n```\n---\nid: NO\n---\n```\n",
    )
)


@st.composite
def entry_pieces(draw: st.DrawFn, number: int) -> list[Piece]:
    pieces = [Piece("---\n"), Piece(f"id: DEC-{number:03}\n")]
    keys = draw(st.lists(st.sampled_from(sorted(HAND_WRITTEN)), unique=True))
    for key in keys:
        value = draw(st.sampled_from(HAND_WRITTEN[key]))
        one_line = "\n" not in value and value.strip()
        pieces += [Piece(draw(remarks)), Piece(f"{key}:{value}", key)]
        pieces += [
            Piece(draw(st.sampled_from(("", "  # why", "   "))) if one_line else "", key, remark=True),
            Piece("\n", key),
        ]
    return [*pieces, Piece(draw(remarks)), Piece("", "+"), Piece("---\n"), Piece(draw(bodies), "body")]


@st.composite
def hand_written_files(draw: st.DrawFn) -> tuple[list[list[Piece]], str, str]:
    count = draw(st.integers(1, 3))
    entries = [draw(entry_pieces(number)) for number in range(count)]
    preamble = draw(st.sampled_from(("", "# Our decisions\n\n", "---\n\nA rule first.\n\n")))
    entries[0].insert(0, Piece(preamble))
    return entries, draw(st.sampled_from(("\n", "\r\n"))), draw(st.sampled_from(("", "\ufeff")))


CHANGES: tuple[dict[str, Any], ...] = (
    {"status": Status.DEPRECATED},
    {"title": 'New: "title"'},
    {"tags": ("one", "two: three")},
    {"tags": ()},
    {"paths": ()},
    {"choice": ""},
    {"choice": "yes\nand no"},
    {"rejected": (RejectedOption(option="A", reason="b"), RejectedOption(option="C"))},
    {"rejected": ()},
    {"confidence": 0.25},
    {"confidence": None, "attempts": None},
    {"supersedes": ("DEC-7", "DEC-8"), "updated": "2026-11-15T09:30:00Z"},
    {"valid_until": "2026-12-01"},
    {"evidence": (Evidence(event="01J", quote="so"),)},
    {"extra": {}},
    {"extra": {"owner": ["Jo", {"a": 1}], "new": {"k": "v"}}},
    {"enforce": {"forbid": ["import requests"]}},
    {"body": "New text\n---\nend"},
    {"body": ""},
)


def touched(old: Memory, new: Memory) -> set[str]:
    before, after = to_json(old), to_json(new)
    keys = {key for key in {*before, *after} - {"extra"} if before.get(key) != after.get(key)}
    extra_before, extra_after = before.get("extra", {}), after.get("extra", {})
    keys |= {key for key in {*extra_before, *extra_after} if extra_before.get(key, keys) != extra_after.get(key, keys)}
    # A body that gives the title may make the title explicit.
    return {*keys, "title"} if "body" in keys else keys


def pattern_of(pieces: list[Piece], keys: set[str], gone: set[str]) -> Iterator[str]:
    for piece in pieces:
        if piece.key == "+" or (piece.key in keys and not (piece.remark and piece.key not in gone)):
            yield "(?s:.*?)"
        else:
            yield re.escape(piece.text)


@settings(parent=thorough, max_examples=examples(400))
@given(hand_written_files(), st.sampled_from(CHANGES), st.data())
def test_a_change_keeps_every_byte_outside_what_changes(
    file: tuple[list[list[Piece]], str, str], fields: dict[str, Any], data: st.DataObject
) -> None:
    entries, newline, bom = file
    text = bom + "".join(piece.text for entry in entries for piece in entry).replace("\n", newline)
    at = data.draw(st.integers(0, len(entries) - 1))
    found = parse(text.encode(), path="x.md", scope=Scope.USER)
    assert found.problems == ()
    assert len(found.entries) == len(entries)
    old = found.entries[at].memory
    new = replace(old, **fields)

    changed = replace_entry(text, found.entries[at].line, new)

    again = parse(changed.encode(), path="x.md", scope=Scope.USER)
    expected = [new if number == at else entry.memory for number, entry in enumerate(found.entries)]
    assert [entry.memory for entry in again.entries] == expected
    keys = touched(old, new)
    gone = {key for key in keys if not to_json(new).get(key, new.extra.get(key))}
    patterns = (pattern_of(entry, keys if number == at else set(), gone) for number, entry in enumerate(entries))
    pattern = bom + "".join(part for parts in patterns for part in parts).replace("\\\n", re.escape(newline))
    assert re.fullmatch(pattern, changed)
    assert newline == "\n" or "\n" not in changed.replace("\r\n", "")


@settings(parent=thorough, max_examples=examples(200))
@given(hand_written_files(), st.data())
def test_taking_an_entry_out_leaves_the_others_byte_for_byte(
    file: tuple[list[list[Piece]], str, str], data: st.DataObject
) -> None:
    entries, newline, bom = file
    texts = ["".join(piece.text for piece in entry).replace("\n", newline) for entry in entries]
    preamble = entries[0][0].text.replace("\n", newline)
    texts[0] = texts[0].removeprefix(preamble)
    text = bom + preamble + "".join(texts)
    at = data.draw(st.integers(0, len(entries) - 1))
    line = parse(text.encode(), path="x.md", scope=Scope.USER).entries[at].line

    rest, removed = remove_entry(text, line)

    assert removed == texts[at]
    assert rest == bom + preamble + "".join(texts[:at] + texts[at + 1 :])


# What nobody should write, and somebody will.


@thorough
@given(st.binary(max_size=400) | anything.map(str.encode))
def test_no_bytes_make_reading_raise(data: bytes) -> None:
    parse(data, path="x.md", scope=Scope.WORKSPACE)
    parse(b"---\nid: DEC-1\n" + data + b"\n---\nbody", path="x.md", scope=Scope.WORKSPACE)


@thorough
@given(
    st.lists(st.sampled_from(("---\n", "id: a\n", "```\n", "~~~\n", "````x\n", "text\n", "\n", "---\r\n", "  ---\n")))
)
def test_no_arrangement_of_rules_and_fences_loses_text(lines: list[str]) -> None:
    text = "".join(lines)
    file = parse(text.encode(), path="x.md", scope=Scope.WORKSPACE)

    assert file.entries or file.problems


HOSTILE = {
    "billion laughs": "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(f"b{n}: &b{n} [*a,*a,*a,*a]\n" for n in range(50)),
    "a huge key": "k" * 60_000 + ": v\n",
    "a complex key": "? [a, b]\n: c\n",
    "deep brackets": "a: " + "[" * 60_000 + "\n",
    "deep braces": "a: " + "{a: " * 12_000 + "\n",
    "deep blocks": "a:\n" + "".join(" " * n + "-\n" for n in range(1, 300)),
    "many question marks": "? " * 30_000 + "\n",
    "many dashes": "a:\n  " + "- " * 30_000 + "\n",
    "a block over the limit": "a: " + "x" * 70_000 + "\n",
    "a tab for indentation": "a:\n\t- b\n",
    "NUL": "a: b\0c\n",
    "a tag": "a: !!python/object/apply:os.system [id]\n",
    "a merge of nothing": "<<: *x\n",
    "two documents": "--- x\nb: c\n",
    "an early end": "...\nb: c\n",
    "a directive": "%YAML 9.9\n",
    "an open quote": 'a: "\n',
    "only a list": "- id: a\n",
    "an escape of half a character": 'a: "\\ud800"\n',
    "a key that stands twice": "id: b\n",
    "nested twice": "a: {b: 1, b: 2}\n",
}


@pytest.mark.parametrize("block", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_block_is_a_problem_with_a_line_and_the_next_entry_loads(block: str) -> None:
    text = f"---\nid: DEC-1\n{block}---\nbody\n---\nid: DEC-2\n---\n"

    file = parse(text.encode(), path="x.md", scope=Scope.WORKSPACE)

    assert [entry.memory.id for entry in file.entries] == ["DEC-2"]
    [problem] = file.problems
    assert problem.line is not None
    assert 2 <= problem.line <= text.count("\n")
    assert problem.reason


@pytest.mark.slow
def test_a_body_of_ten_megabytes_is_read_and_kept() -> None:
    body = ("---\n```\nid: x\n" * 100 + "text " * 200 + "\n") * 4300
    memory = Memory(id="DEC-1", type=MemoryType.DECISION, title="t", body=body)

    assert len(body) > 10_000_000
    assert read(render(memory)) == [memory]


@pytest.mark.parametrize(
    "memory",
    [
        Memory(id="../../etc/passwd", type=MemoryType.DECISION),
        Memory(id="", type=MemoryType.DECISION),
        Memory(id="a\nb", type=MemoryType.DECISION),
        Memory(id="DEC-1", type=MemoryType.DECISION, title="\ud800"),
        Memory(id="DEC-1", type=MemoryType.DECISION, body="\udfff"),
        Memory(id="DEC-1", type=MemoryType.DECISION, title="x" * 70_000),
        Memory(id="DEC-1", type=MemoryType.DECISION, confidence=7.0),
        Memory(id="DEC-1", type=MemoryType.DECISION, attempts=-1),
        Memory(id="DEC-1", type=MemoryType.DECISION, updated="yesterday"),
        Memory(id="DEC-1", type=MemoryType.DECISION, extra={"title": "twice"}),
        Memory(id="DEC-1", type=MemoryType.DECISION, extra={"x": {1, 2}}),
        Memory(id="DEC-1", type=MemoryType.DECISION, extra={"x": float("inf")}),
        Memory(id="DEC-1", type=MemoryType.DECISION, extra={"k" * 2000: 1}),
        Memory(id="DEC-1", type=MemoryType.DECISION, extra={"x": [[[[[[[[[1]]]]]]]]]}),
    ],
    ids=lambda memory: repr(memory)[:40],
)
def test_what_would_not_read_back_is_not_written(memory: Memory) -> None:
    with pytest.raises(NotWritable):
        render_new_file(memory)


@thorough
@given(ids, anything)
@example("CON", "")
@example("nul.x", "x")
@example("overview", "")
@example("DEC-1", "../../etc/passwd")
@example("DEC-1", "x" * 10_000)
def test_a_file_name_is_safe_whatever_the_title(memory_id: str, title: str) -> None:
    name = file_name(memory_id, title)

    assert re.fullmatch(r"_?[A-Za-z0-9][A-Za-z0-9._-]*\.md", name)
    assert len(name) <= 64 + 1 + 60 + 4
    assert name not in {"overview.md", "CON.md", "nul.x.md"}
    assert len(title_slug(title).split("-")) <= 8


@thorough
@given(anything)
@example("../x.md")
@example("/etc/passwd")
@example("a//b.md")
@example("a/./b.md")
@example("")
def test_a_path_is_taken_only_if_it_stays_below_the_vault(path: str) -> None:
    parts: tuple[str, ...] = ()
    with suppress(BadRequest):
        parts = path_components(path)

    assert not parts or "/".join(parts) == path
    assert not {"", ".", ".."} & set(parts)


@thorough
@given(anything)
def test_reading_a_block_raises_nothing_but_its_own_error(text: str) -> None:
    with suppress(BadFrontmatter):
        read_block(text)
