"""One entry changed in place: the lines that change, and no others."""

from typing import Any

import pytest

from holdfast.core.memory import Evidence, RejectedOption, Scope, Status
from holdfast.core.value import replace
from holdfast.vault.edit_entry import NoEntryThere, NotWritable, remove_entry, replace_entry
from holdfast.vault.parse_memory import parse

HAND_WRITTEN = """\
# Our decisions

---
# who: Jo
id:   DEC-1
status:  accepted   # since May
"title": 'Use Textual'

tags:  # for search
  - ui   # first
  - 'tui'
owner: {name: Jo}
paths:
- src/**
rejected:
    - Qt: heavy
# the end
---
First body.
---
id: DEC-2
title: |
  Second
  one
note: >
  folded

---
"""


def change(text: str, line: int = 1, **fields: Any) -> str:
    entries = parse(text.encode(), path="x.md", scope=Scope.USER).entries
    [entry] = [entry for entry in entries if entry.line == line]
    return replace_entry(text, line, replace(entry.memory, **fields))


@pytest.mark.parametrize(
    ("fields", "old", "new"),
    [
        ({"status": Status.SUPERSEDED}, "accepted   # since", "superseded   # since"),
        ({"title": "Use: Qt"}, "'Use Textual'", '"Use: Qt"'),
        ({"tags": ("x", "y")}, "  - ui   # first\n  - 'tui'\n", '  - x\n  - "y"\n'),
        ({"tags": ()}, "tags:  # for search\n  - ui   # first\n  - 'tui'\n", ""),
        ({"paths": ("a/**", "b/**")}, "- src/**\n", "- a/**\n- b/**\n"),
        ({"paths": ()}, "paths:\n- src/**\n", ""),
        ({"extra": {"owner": "Al"}}, "{name: Jo}", "Al"),
        ({"extra": {}}, "owner: {name: Jo}\n", ""),
        ({"rejected": (RejectedOption(option="A", reason="b"),)}, "- Qt: heavy", "- option: A\n      reason: b"),
        ({"confidence": 0.5}, "# the end\n", "# the end\nconfidence: 0.5\n"),
        ({"evidence": (Evidence(event="1"),)}, "# the end\n", '# the end\nevidence:\n  - event: "1"\n'),
        ({"body": "Other\n---"}, "First body.\n", "Other\n\\---\n"),
        ({"body": ""}, "First body.\n", ""),
    ],
)
def test_a_change_of_one_thing_changes_its_lines_only(fields: dict[str, Any], old: str, new: str) -> None:
    assert HAND_WRITTEN.count(old) == 1

    assert change(HAND_WRITTEN, 3, **fields) == HAND_WRITTEN.replace(old, new)


def test_a_change_of_nothing_changes_nothing() -> None:
    assert change(HAND_WRITTEN, 3) == HAND_WRITTEN


def test_a_block_of_text_becomes_one_line_and_the_blank_line_stays() -> None:
    changed = change(HAND_WRITTEN, 20, title="Second two", extra={"note": "flat"})

    assert changed == HAND_WRITTEN.replace("|\n  Second\n  one", "Second two").replace(">\n  folded", "flat")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_newlines_and_the_byte_order_mark_stay(newline: str, bom: str) -> None:
    text = bom + "---\nid: DEC-1\ntags: [a]\n---\n\nText\n".replace("\n", newline)

    changed = change(text, tags=("b",), confidence=1.0, body="One\nTwo")

    assert changed == bom + "---\nid: DEC-1\ntags: [b]\ntitle: Text\nconfidence: 1.0\n---\n\nOne\nTwo\n".replace(
        "\n", newline
    )


def test_a_missing_last_newline_stays_missing() -> None:
    assert change("---\nid: DEC-1\ntitle: T\n---\nText", body="Other") == "---\nid: DEC-1\ntitle: T\n---\nOther"


def test_a_body_can_be_given_to_an_entry_that_ends_with_its_frontmatter() -> None:
    assert change("---\nid: DEC-1\ntitle: T\n---", body="Text") == "---\nid: DEC-1\ntitle: T\n---\n\nText\n"


def test_a_title_that_was_the_bodys_first_line_stays_when_the_body_goes() -> None:
    assert change("---\nid: DEC-1\n---\nText\n", body="") == "---\nid: DEC-1\ntitle: Text\n---\n"


def test_a_title_that_the_new_body_gives_is_not_written() -> None:
    assert change("---\nid: DEC-1\n---\nText\n", body="New", title="New") == "---\nid: DEC-1\n---\nNew\n"


def test_an_empty_key_is_filled_where_it_stands() -> None:
    text = "---\nid: DEC-1\ntags:  # none yet\ntitle: T\n---\n"

    assert change(text, tags=("a",)) == "---\nid: DEC-1\ntags: [a]  # none yet\ntitle: T\n---\n"


def test_a_remark_below_a_removed_key_goes_with_it_rather_than_into_the_text_above() -> None:
    text = "---\nid: DEC-1\ntitle: |\n  T\nchoice: a\n  # because\n---\n"

    assert change(text, choice="") == "---\nid: DEC-1\ntitle: |\n  T\n---\n"


def test_a_body_that_would_hide_the_next_entry_is_refused() -> None:
    with pytest.raises(NotWritable, match="another entry"):
        change(HAND_WRITTEN, 3, body="```\nnever closed")


def test_a_body_that_hides_nothing_may_leave_its_fence_open() -> None:
    assert change(HAND_WRITTEN, 20, body="```\nnever closed").endswith("```\nnever closed\n")


def test_an_entry_is_taken_out_and_given_back() -> None:
    rest, removed = remove_entry(HAND_WRITTEN, 20)

    assert rest + removed == HAND_WRITTEN
    assert removed.startswith("---\nid: DEC-2\n")


def test_a_line_where_no_entry_opens_is_refused() -> None:
    with pytest.raises(NoEntryThere, match="line 2"):
        remove_entry(HAND_WRITTEN, 2)
