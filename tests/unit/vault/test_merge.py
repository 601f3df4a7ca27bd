"""Two edits of one memory file: what is taken, what is put together, what is left to a person."""

import pytest

from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.vault.edit_entry import render_new_file
from holdfast.vault.git_merge import make_line_merge
from holdfast.vault.merge_files import NotMergeable, merge_texts
from holdfast.vault.parse_memory import parse

BASE = """\
---
id: DEC-7K2MQ4
type: decision
# who asked for it: the UI team
title: Use Textual for the TUI   # not final
tags: [ui, tui]
question: Which TUI toolkit?
choice: Textual
rejected:
  - {option: curses, reason: no layout engine}
owner: ann
confidence: 0.9
updated: 2026-01-27
---

Decision: Use Textual.

Because it is fast.
It has a layout engine.
"""
OTHER = "---\nid: DEC-000002\ntype: decision\ntitle: Keep SQLite\n---\n\nIt is enough.\n"


def put(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def both(ours: str, theirs: str, base: str = BASE) -> str:
    """The merge, which must be clean, and the same from the other side but for the order of lists."""
    merged = merge_texts(base, ours, theirs, make_line_merge(7))
    other = merge_texts(base, theirs, ours, make_line_merge(7))
    assert merged.clean
    assert other.clean
    return merged.text


def conflict(ours: str, theirs: str, base: str = BASE) -> str:
    merged = merge_texts(base, ours, theirs, make_line_merge(7))
    assert not merged.clean
    assert parse(merged.text.encode(), path="x.md", scope=Scope.WORKSPACE).problems
    return merged.text


def test_two_keys_side_by_side_are_both_taken() -> None:
    ours = put(BASE, ("choice: Textual", "choice: Textual 2"))
    theirs = put(BASE, ("question: Which TUI toolkit?", "question: Which toolkit?"))

    text = both(ours, theirs)

    assert text == put(BASE, ("choice: Textual", "choice: Textual 2"), ("Which TUI toolkit?", "Which toolkit?"))


def test_what_one_side_alone_changed_keeps_its_bytes_and_remarks() -> None:
    ours = put(BASE, ("the UI team", "the UI team, twice"), ("# not final", "# final"))
    theirs = put(BASE, ("owner: ann", "owner:   'bob'  # foreign"))

    text = both(ours, theirs)

    assert "# who asked for it: the UI team, twice\ntitle: Use Textual for the TUI   # final\n" in text
    assert "owner:   'bob'  # foreign\n" in text


def test_a_remark_beside_what_both_wrote_is_taken_on_either_side() -> None:
    plain = put(BASE, ("owner: ann", "owner: bob"))
    remarked = put(BASE, ("owner: ann", "owner: bob  # why"))

    assert both(plain, remarked) == both(remarked, plain) == remarked


def test_a_remark_that_one_side_wrote_beside_a_key_is_taken_on_either_side() -> None:
    remarked = put(BASE, ("# not final", "# final"))
    other = put(BASE, ("owner: ann", "owner: bob"))

    assert both(remarked, other) == both(other, remarked) == put(remarked, ("owner: ann", "owner: bob"))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("[ui, tui]", "[ui, tui]  # two"), ("[ui, tui]", "[ui, tui, x]")),
        (("[ui, tui]", "[ui, tui, y]"), ("[ui, tui]", "[ui, tui, x]  # three")),
        (("choice: Textual", "choice: 'Textual' # a"), ("choice: Textual", 'choice: "Textual" # b')),
        (("[ui, tui]", "\n  - ui\n  # why\n  - tui\n  - y"), ("[ui, tui]", "[ui, tui, x]")),
    ],
)
def test_no_remark_is_lost_where_both_wrote_the_key_anew(ours: tuple[str, str], theirs: tuple[str, str]) -> None:
    for one, other in ((ours, theirs), (theirs, ours)):
        text = conflict(put(BASE, one), put(BASE, other))

        assert all(each.strip() in text for each in (ours[1], theirs[1]))


def test_both_changed_one_key_and_only_that_stands_between_markers() -> None:
    ours = put(BASE, ("choice: Textual", "choice: Textual 2"), ("owner: ann", "owner: eve"))
    theirs = put(BASE, ("choice: Textual", "choice: urwid"), ("is fast", "is quick"))

    text = conflict(ours, theirs)

    markers = "<<<<<<< ours\nchoice: Textual 2\n=======\nchoice: urwid\n>>>>>>> theirs\n"
    assert text == put(BASE, ("choice: Textual\n", markers), ("owner: ann", "owner: eve"), ("is fast", "is quick"))


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    ours = put(BASE, ("choice: Textual", "choice: urwid"), ("is fast", "is quick"))
    theirs = put(BASE, ("choice: Textual", 'choice: "urwid"'), ("0.9", "0.8"))

    assert both(ours, theirs) == put(ours, ("0.9", "0.8"))


def test_lists_are_put_together_by_what_was_added_and_what_was_removed() -> None:
    ours = put(BASE, ("[ui, tui]", "[tui, python]"))
    theirs = put(BASE, ("[ui, tui]", "[ui, tui, terminal]"))

    assert "tags: [tui, terminal, python]\n" in both(ours, theirs)


def test_items_of_a_list_below_its_key_keep_that_form() -> None:
    ours = put(BASE, ("no layout engine}", "no layout engine}\n  - {option: urwid, reason: old}"))
    theirs = put(BASE, ("reason: no layout engine", "reason: too low"))

    entry = parse(both(ours, theirs).encode(), path="x.md", scope=Scope.WORKSPACE).entries[0]

    assert [(each.option, each.reason) for each in entry.memory.rejected] == [("curses", "too low"), ("urwid", "old")]


def test_two_reasons_for_one_rejected_option_are_a_conflict() -> None:
    ours = put(BASE, ("reason: no layout engine", "reason: too low"))
    theirs = put(BASE, ("reason: no layout engine", "reason: too old"))

    text = conflict(ours, theirs)

    assert text.count("option: curses") == 2


def test_a_list_that_one_side_emptied_keeps_what_the_other_added() -> None:
    ours = put(BASE, ("tags: [ui, tui]\n", ""))
    theirs = put(BASE, ("[ui, tui]", "[ui, tui, new]"))

    assert "tags: [new]\n" in both(ours, theirs)


def test_the_later_of_two_dates_of_change_is_taken() -> None:
    ours = put(BASE, ("updated: 2026-01-27", "updated: 2026-02-01T10:00:00+02:00"), ("owner: ann", "owner: eve"))
    theirs = put(BASE, ("updated: 2026-01-27", "updated: 2026-02-01T09:00:00Z"), ("0.9", "0.8"))

    assert "updated: 2026-02-01T09:00:00Z\n" in both(ours, theirs)


def test_mappings_are_merged_by_their_keys() -> None:
    base = put(BASE, ("owner: ann\n", "enforce:\n  forbid_import: [urwid]\n"))
    ours = put(base, ("[urwid]", "[urwid, blessed]"))
    theirs = put(base, ("[urwid]", "[urwid, curses]\n  forbid_path: [old/**]"))

    entry = parse(both(ours, theirs, base).encode(), path="x.md", scope=Scope.WORKSPACE).entries[0]

    assert entry.memory.enforce == {"forbid_import": ["urwid", "curses", "blessed"], "forbid_path": ["old/**"]}


def test_bodies_are_merged_by_lines() -> None:
    ours = put(BASE, ("Use Textual.", "Use Textual 2."))
    theirs = put(BASE, ("It has a layout engine.\n", "It has a layout engine.\nAnd themes.\n"))

    assert both(ours, theirs).endswith(
        "Decision: Use Textual 2.\n\nBecause it is fast.\nIt has a layout engine.\nAnd themes.\n"
    )


def test_a_line_of_the_body_that_both_changed_stands_between_markers_and_the_memory_does_not_load() -> None:
    text = conflict(put(BASE, ("is fast", "is quick")), put(BASE, ("is fast", "is small")))

    assert "<<<<<<< ours\nBecause it is quick.\n=======\nBecause it is small.\n>>>>>>> theirs\n" in text
    assert parse(text.encode(), path="x.md", scope=Scope.WORKSPACE).entries == ()


def test_a_key_removed_here_and_changed_there_is_a_conflict() -> None:
    text = conflict(put(BASE, ("owner: ann\n", "")), put(BASE, ("owner: ann", "owner: bob")))

    assert "<<<<<<< ours\n=======\nowner: bob\n>>>>>>> theirs\n" in text


def test_new_keys_of_both_sides_stand_where_their_side_put_them() -> None:
    ours = put(BASE, ("updated: 2026-01-27\n", "updated: 2026-01-27\nsource: s1\n"))
    theirs = put(BASE, ("confidence: 0.9\n", "category: ui\nconfidence: 0.9\n"))

    assert "owner: ann\ncategory: ui\nconfidence: 0.9\nupdated: 2026-01-27\nsource: s1\n---\n" in both(ours, theirs)


def test_entries_that_each_side_added_to_one_file_both_stand_there() -> None:
    third = OTHER.replace("DEC-000002", "DEC-000003").replace("SQLite", "apsw")
    text = both(f"{BASE}\n{OTHER}", f"{BASE}\n{third}")

    found = parse(text.encode(), path="x.md", scope=Scope.WORKSPACE)

    assert sorted(entry.memory.id for entry in found.entries) == ["DEC-000002", "DEC-000003", "DEC-7K2MQ4"]
    assert found.problems == ()


def test_a_body_changed_here_and_an_entry_added_below_it_there_do_not_meet() -> None:
    ours = put(BASE, ("It has a layout engine.", "It has a layout."))

    assert both(ours, f"{BASE}\n{OTHER}") == f"{ours}\n{OTHER}"


def test_an_entry_removed_here_goes_unless_it_was_changed_there() -> None:
    base = f"{BASE}\n{OTHER}"
    ours = put(base, (f"\n{OTHER}", ""))

    assert both(ours, put(base, ("is fast", "is quick")), base) == put(ours, ("is fast", "is quick"))
    text = conflict(ours, put(base, ("Keep SQLite", "Keep apsw")), base)
    assert f"<<<<<<< ours\n=======\n{OTHER.replace('Keep SQLite', 'Keep apsw')}>>>>>>> theirs\n" in text


def test_one_entry_made_on_both_sides_is_merged_without_a_base() -> None:
    ours, theirs = put(BASE, ("[ui, tui]", "[ui]")), put(BASE, ("[ui, tui]", "[tui]"))

    assert both(ours, theirs, "") == put(BASE, ("[ui, tui]", "[tui, ui]"))
    assert "<<<<<<< ours\nchoice: A\n" in conflict(
        put(BASE, ("choice: Textual", "choice: A")), put(BASE, ("choice: Textual", "choice: B")), ""
    )


def test_line_breaks_and_byte_order_marks_of_one_side_are_taken_over() -> None:
    ours = "\ufeff" + put(BASE, ("owner: ann", "owner: eve")).replace("\n", "\r\n")
    theirs = put(BASE, ("is fast", "is quick"))

    expected = "\ufeff" + put(BASE, ("owner: ann", "owner: eve"), ("is fast", "is quick")).replace("\n", "\r\n")
    assert both(ours, theirs) == expected


@pytest.mark.parametrize(
    "odd",
    [
        "no memory at all\n",
        BASE.replace("id: DEC-7K2MQ4", "id: [DEC"),
        BASE + BASE,
        BASE.replace("Because", "```\nBecause") + OTHER,
        BASE.replace("owner: ann\n", "<<<<<<< a\nowner: ann\n=======\nowner: b\n>>>>>>> b\n"),
    ],
)
def test_what_is_no_memory_file_on_some_side_is_not_merged_as_one(odd: str) -> None:
    with pytest.raises(NotMergeable):
        merge_texts(BASE, odd, put(BASE, ("is fast", "is quick")), make_line_merge(7))


def test_a_fence_opened_here_and_an_entry_added_there_hide_nothing() -> None:
    ours = put(BASE, ("It has a layout engine.\n", "```\nIt has a layout engine.\n"))

    with pytest.raises(NotMergeable):
        merge_texts(BASE, ours, f"{BASE}\n{OTHER}", make_line_merge(7))


def test_a_body_about_merges_is_written_so_that_it_is_not_taken_for_one() -> None:
    body = "Git writes\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\nwhere it cannot merge."
    memory = Memory(id="LRN-000001", type=MemoryType.LEARNING, title="Markers", body=body)

    found = parse(render_new_file(memory).encode(), path="x.md", scope=Scope.WORKSPACE)

    assert found.problems == ()
    assert found.entries[0].memory == memory


def test_many_opened_markers_cost_no_more_than_their_number() -> None:
    text = BASE + "<<<<<<< x\n" * 200_000

    assert len(parse(text.encode(), path="x.md", scope=Scope.WORKSPACE).entries) == 1
