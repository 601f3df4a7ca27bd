"""What holds for every merge of memory files: an edit alone is that edit, no words are lost, the sides are alike."""

from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.properties.test_vault_properties import hand_written_files, memories, read, thorough

from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.core.value import as_dict, replace
from holdfast.vault.edit_entry import replace_entry
from holdfast.vault.git_merge import make_line_merge
from holdfast.vault.merge_files import NotMergeable, merge_texts
from holdfast.vault.parse_memory import parse
from holdfast.vault.render_memory import render

LINES = make_line_merge(7)
LISTS = ("tags", "paths", "supersedes")
# The body's first line stands for a title that is not written: those two are one field here.
FIELDS = ("category", "question", "choice", "fact", "context", "source", "because", "confidence", "attempts", "title")
sentences = st.lists(st.sampled_from(("Alpha.", "Beta.", "Gamma.", "", "- x", "---", "```")), max_size=6).map("\n".join)
words = st.sampled_from(("ui", "tui", "api", "cli", "db"))
sets = st.lists(words, unique=True, max_size=4).map(tuple)
plain = st.builds(
    Memory, id=st.just("DEC-000001"), type=st.just(MemoryType.DECISION), title=words, body=sentences, tags=sets,
    paths=sets, question=words, choice=words, updated=st.dates().map(str),
)  # fmt: skip


def text_of(file: tuple[list[list[Any]], str, str]) -> str:
    entries, newline, bom = file
    return bom + "".join(piece.text for entry in entries for piece in entry).replace("\n", newline)


@thorough
@given(hand_written_files(), hand_written_files())
def test_an_edit_of_one_side_alone_is_that_edit(before: Any, after: Any) -> None:
    base, edited = text_of(before), text_of(after)

    assert merge_texts(base, edited, base, LINES).text == edited
    assert merge_texts(base, base, edited, LINES).text == edited
    assert merge_texts(base, edited, edited, LINES).text == edited


@thorough
@given(memories, memories, st.lists(st.booleans(), min_size=len(FIELDS), max_size=len(FIELDS)))
def test_edits_of_different_fields_never_conflict(base: Memory, other: Memory, ours_first: list[bool]) -> None:
    wanted = as_dict(other)
    mine = {name: wanted[name] for name, ours in zip(FIELDS, ours_first, strict=True) if ours}
    theirs = {name: wanted[name] for name in FIELDS if name not in mine}
    one, other_one = (replace_entry(render(base), 1, replace(base, **side)) for side in (mine, theirs))

    merged = merge_texts(render(base), one, other_one, LINES)

    assert merged.clean
    assert read(merged.text) == [replace(base, **mine, **theirs)]


@thorough
@given(plain, plain, plain)
def test_lists_have_what_was_added_and_lack_what_was_removed(base: Memory, ours: Memory, theirs: Memory) -> None:
    sides = [replace(base, **{name: getattr(side, name) for name in LISTS[:2]}) for side in (ours, theirs)]

    one_text, other_text = (replace_entry(render(base), 1, side) for side in sides)
    merged = merge_texts(render(base), one_text, other_text, LINES)

    assert merged.clean
    [memory] = read(merged.text)
    for name in LISTS[:2]:
        then, one, other = (set(getattr(side, name)) for side in (base, *sides))
        assert set(getattr(memory, name)) == (one & other) | (one - then) | (other - then)


@thorough
@given(hand_written_files(), hand_written_files(), hand_written_files())
def test_the_sides_are_alike_and_no_line_of_an_edit_is_lost(before: Any, first: Any, second: Any) -> None:
    base, ours, theirs = text_of(before), text_of(first), text_of(second)
    try:
        merged = merge_texts(base, ours, theirs, LINES)
    except NotMergeable:
        return

    other = merge_texts(base, theirs, ours, LINES)

    assert merged.clean == other.clean
    if merged.clean:
        assert {each.id: each.status for each in read(merged.text)} == {
            each.id: each.status for each in read(other.text)
        }
    else:
        assert parse(merged.text.encode(), path="x.md", scope=Scope.WORKSPACE).problems


@thorough
@given(plain, plain, plain)
def test_what_either_side_wrote_anew_stands_in_the_merged_text(base: Memory, ours: Memory, theirs: Memory) -> None:
    try:
        merged = merge_texts(render(base), render(ours), render(theirs), LINES)
    except NotMergeable:
        return

    found = set(_runs(merged.text))
    for mine, other in ((ours, theirs), (theirs, ours)):
        if mine.choice not in {base.choice, other.choice}:
            assert f"choice: {mine.choice}" in found
        if mine.question not in {base.question, other.question}:
            assert f"question: {mine.question}" in found
        new = set(mine.body.split("\n")) - set(base.body.split("\n"))
        assert {line.removeprefix("\\") for line in new} <= {line.removeprefix("\\") for line in found} | {""}


def _runs(text: str) -> list[str]:
    return [line for line, _ in groupby(text.split("\n"))]
