"""Blocks in whatever text: outside bytes never change, and what was there comes back."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.clients.install.marked_text import BEGIN, END
from holdfast.core.memory import Memory, MemoryType
from holdfast.render.block_text import build_block, sort_by_use
from holdfast.render.place_block import BrokenBlock, block_text, find_block, put_block, remove_block

PIECES = (
    "\n",
    "\r\n",
    "\r",
    "a",
    "words ",
    "\ufeff",
    "#",
    "```",
    "---",
    "ü",
    "\u2028",
    "\x0b",
    " ",
    "\t",
    "<!--",
    "-->",
)
texts = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
titles = st.text(max_size=60) | st.sampled_from([BEGIN, END, f"x\n{END}\n", f"{END}{BEGIN}", "`" * 4, "\u2028# x"])
memories = st.lists(st.tuples(st.sampled_from(MemoryType), titles), max_size=12).map(
    lambda found: [Memory(id=f"M-{at}", type=kind, title=title) for at, (kind, title) in enumerate(found)]
)


def block(found: list[Memory], room: int = 20_000) -> str:
    made = build_block(sort_by_use(found, {}), room)
    assert made is not None
    return made.text


@given(texts, memories, memories)
def test_render_again_and_remove_gives_the_first_bytes(text: str, first: list[Memory], second: list[Memory]) -> None:
    filled = put_block(text, block(first))
    renewed = put_block(filled, block(second))

    assert filled.encode().startswith(text.encode())
    assert remove_block(filled) == text
    assert remove_block(renewed) == text
    assert put_block(renewed, block(first)) == filled
    assert (block_text(renewed) or "").splitlines() == block(second).splitlines()


@given(texts, texts, memories, memories)
def test_a_block_anywhere_is_renewed_there_and_nowhere_else(
    above: str, below: str, first: list[Memory], second: list[Memory]
) -> None:
    head, tail = f"{above}\n", f"\n{below}"
    text = f"{head}{BEGIN}\n{block(first)}\n{END}{tail}"

    renewed = put_block(text, block(second))

    assert renewed.startswith(f"{head}{BEGIN}")
    assert renewed.endswith(f"{END}{tail}")
    assert find_block(renewed) is not None


@given(st.lists(st.sampled_from([f"{BEGIN}\n", f"{END}\n", "x\n", f"y {END}\n"]), max_size=6).map("".join))
def test_markers_in_whatever_order_are_one_block_or_left_alone(text: str) -> None:
    try:
        found = find_block(text)
    except BrokenBlock:
        return
    assert found is None or (text.count(BEGIN), text.count(END)) == (1, 1)


@given(memories, st.integers(min_value=700, max_value=3000))
def test_a_block_fits_its_room_and_is_the_same_again(found: list[Memory], room: int) -> None:
    text = block(found, room)

    assert len(text.replace("\n", "\r\n").encode("utf-8", "replace")) <= room
    assert text == block(list(reversed(found)), room)
