"""Our block in somebody's text."""

import pytest

from holdfast.clients.install.marked_text import BEGIN, END
from holdfast.render.place_block import BrokenBlock, block_text, count_foreign_bytes, put_block, remove_block

BLOCK = "## Project memory\n\n- Never log tokens (INV-1)"
MARKED = f"{BEGIN}\n{BLOCK}\n{END}"


@pytest.mark.parametrize(
    "text", ["", "\n", "# Hi", "# Hi\n", "# Hi\n\n", "a\r\nb", "a\r\nb\r\n", "\ufeff# Hi\n", "a\r"]
)
def test_what_was_there_comes_back_byte_for_byte(text: str) -> None:
    filled = put_block(text, BLOCK)

    assert filled.startswith(text)
    assert remove_block(filled) == text
    assert block_text(filled) == BLOCK
    assert put_block(filled, BLOCK) == filled


def test_a_text_with_carriage_returns_gets_a_block_with_them() -> None:
    filled = put_block("one\r\ntwo\r\n", BLOCK)

    assert filled.count("\n") == filled.count("\r\n")


def test_a_last_line_without_an_end_keeps_none() -> None:
    assert not put_block("# Hi", BLOCK).endswith("\n")


def test_a_block_that_was_moved_stays_where_it_is() -> None:
    text = f"# Hi\n\n{MARKED}\n\nBelow\n"

    renewed = put_block(text, "other words")

    assert renewed == f"# Hi\n\n{BEGIN}\nother words\n{END}\n\nBelow\n"
    assert remove_block(text) == "# Hi\n\n\nBelow\n"


def test_markers_in_code_are_words_and_no_block() -> None:
    text = f"Ours stands between `{BEGIN}` and `{END}`.\n"

    assert remove_block(text) == text
    assert put_block(text, BLOCK).startswith(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{BEGIN}\nwords\n", "begins and does not end"),
        (f"words\n{END}\n", "ends and does not begin"),
        (f"{END}\n{BEGIN}\n", "not in order"),
        (f"{MARKED}\n\n{MARKED}\n", "twice"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", "not in order"),
        (f"words {BEGIN}\nx\n{END} more\n", "line of its own"),
        (f"{BEGIN.replace('v1', 'v9')}\nx\n{END}\n", "version 'v9'"),
    ],
)
def test_broken_markers_are_told_and_touched_by_nobody(text: str, reason: str) -> None:
    with pytest.raises(BrokenBlock, match=reason) as told:
        put_block(text, BLOCK)
    assert "by hand" in told.value.hint
    with pytest.raises(BrokenBlock):
        remove_block(text)
    with pytest.raises(BrokenBlock):
        block_text(text)


def test_what_is_not_ours_is_counted_in_bytes() -> None:
    assert count_foreign_bytes(f"Über\n{MARKED}\n") == len("Über\n\n".encode())
