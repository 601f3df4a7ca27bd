"""Where entries stand in a text."""

import pytest

from holdfast.vault.split_entries import EntrySpan, body_of, escape_rules, split_bom, split_entries

ENTRY = "---\nid: DEC-1\n---\n"


def blocks(text: str) -> list[str]:
    return [text[span.block : span.close] for span in split_entries(text).spans]


def only(text: str) -> EntrySpan:
    [span] = split_entries(text).spans
    return span


def test_an_entry_has_a_block_and_a_body() -> None:
    text = "---\nid: DEC-1\n---\nbody\n"

    span = only(text)

    assert text[span.block : span.close] == "id: DEC-1\n"
    assert text[span.body : span.end] == "body\n"
    assert (span.start, span.line) == (0, 1)


def test_entries_follow_each_other() -> None:
    text = f"# Ours\n\n{ENTRY}one\n\n---\ntype: decision\n---\ntwo"

    first, second = split_entries(text).spans

    assert text[: first.start] == "# Ours\n\n"
    assert (first.line, second.line) == (3, 8)
    assert text[first.body : first.end] == "one\n\n"
    assert text[second.body : second.end] == "two"


def test_a_rule_between_paragraphs_is_text() -> None:
    text = f"{ENTRY}one\n\n---\n\ntwo\n\n---\n\nthree\n"

    assert body_of(text, only(text)) == "one\n\n---\n\ntwo\n\n---\n\nthree"


def test_an_empty_body_and_the_next_entry_touch() -> None:
    assert blocks(ENTRY + ENTRY) == ["id: DEC-1\n", "id: DEC-1\n"]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("```", "```"), ("````", "`````"), ("~~~", "  ~~~ "), ("   ```", "```"), ("```yaml", "```"), ("~~~ `x`", "~~~")],
)
def test_an_entry_in_a_code_fence_is_text(opening: str, closing: str) -> None:
    assert blocks(f"{ENTRY}{opening}\n{ENTRY}{closing}\n{ENTRY}") == ["id: DEC-1\n"] * 2


@pytest.mark.parametrize("fence", ["    ```", "```a`b", "``"])
def test_what_only_resembles_a_fence_hides_nothing(fence: str) -> None:
    assert len(blocks(f"{ENTRY}{fence}\n{ENTRY}")) == 2


def test_a_shorter_fence_does_not_close_a_longer_one() -> None:
    assert len(blocks(f"{ENTRY}````\n```\n{ENTRY}````\n")) == 1


def test_a_fence_that_is_never_closed_is_reported_where_an_entry_hides() -> None:
    layout = split_entries(f"{ENTRY}```\ntext\n{ENTRY}")

    assert len(layout.spans) == 1
    [suspect] = layout.suspects
    assert suspect.line == 6
    assert "line 4" in suspect.reason


def test_a_fence_that_is_never_closed_and_hides_nothing_is_nobodys_business() -> None:
    assert split_entries(f"{ENTRY}```\ntext\n---\nmore\n").suspects == ()


def test_an_entry_that_is_never_closed_is_reported() -> None:
    layout = split_entries("---\nid: DEC-1\ntype: decision\n")

    assert layout.spans == ()
    assert [suspect.line for suspect in layout.suspects] == [1]


@pytest.mark.parametrize("rule", ["---", "--- ", "---\t", "---\r"])
def test_spaces_after_a_rule_do_not_matter(rule: str) -> None:
    assert blocks(f"{rule}\nid: DEC-1\n{rule}\n") == ["id: DEC-1\n"]


@pytest.mark.parametrize("rule", [" ---", "----", "-- -", "--- x", "\\---"])
def test_other_lines_of_dashes_open_nothing(rule: str) -> None:
    assert blocks(f"{rule}\nid: DEC-1\n---\n") == []


def test_an_id_that_is_not_at_the_start_of_its_line_opens_nothing() -> None:
    assert blocks("---\n  id: DEC-1\nmy_id: x\n---\n") == []


def test_the_newline_of_the_opening_line_is_the_entrys() -> None:
    text = "---\r\nid: DEC-1\r\n---\r\n\r\none\r\ntwo\r\n"

    span = only(text)

    assert span.newline == "\r\n"
    assert body_of(text, span) == "one\ntwo"


def test_a_byte_order_mark_is_taken_off() -> None:
    assert split_bom("\ufeff---") == ("\ufeff", "---")
    assert split_bom("---") == ("", "---")


@pytest.mark.parametrize("line", ["---", "\\---", "\\\\---", "--- \t", "---\r"])
def test_a_rule_in_a_body_gets_one_more_backslash_and_loses_it_again(line: str) -> None:
    escaped = escape_rules(f"a\n{line}\nb")

    assert escaped == f"a\n\\{line}\nb"
    text = f"{ENTRY}{escaped}\n"
    assert body_of(text, only(text)) == f"a\n{line}\nb"


@pytest.mark.slow
def test_many_rules_are_walked_once() -> None:
    assert len(split_entries("---\n" * 50_000).spans) == 0
    assert len(split_entries("```\n---\n" * 50_000).spans) == 0
    assert len(split_entries(ENTRY * 20_000).spans) == 20_000
