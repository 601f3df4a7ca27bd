"""Whatever the files say, it stays inside the fence and within the room."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.context.session_prompts import CLOSE, OPEN, PromptSection, render_data, render_preview_lines

# Pieces that attacks are made of, among any text at all.
texts = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from([CLOSE, OPEN, "</", ">", "＜", "&lt;", "&#60", "\\u003c", "\n", "\r", "\u2028", "\x1b[", "\0"]),
    ),
    max_size=12,
).map("".join)  # fmt: skip
sections = st.builds(
    lambda heading, lines, previews, share: PromptSection(
        heading=heading, lines=(*lines, *render_preview_lines(previews)), share=share
    ),
    texts, st.lists(texts, max_size=4), st.lists(st.tuples(texts, texts), max_size=3), st.floats(0, 1),
)  # fmt: skip


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(sections, max_size=5), st.integers(0, 4_000))
def test_nothing_breaks_out_and_nothing_is_too_long(given_: list[PromptSection], room: int) -> None:
    told = render_data(given_, room)

    if told:
        assert told.startswith(f"{OPEN}\n")
        assert told.endswith(f"\n{CLOSE}")
        inside = told[len(OPEN) : -len(CLOSE)]
        assert not set(inside) & set("<>＜＞")
        assert all(character.isprintable() or character == "\n" for character in inside)
    assert len(told) <= room


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=3))
def test_no_line_of_a_file_reads_as_a_heading(previews: list[tuple[str, str]]) -> None:
    told = render_data([PromptSection(heading="KEY FILES", lines=render_preview_lines(previews))], 1_000_000)

    lines = told.split("\n")[2:-1]

    assert sum(not line.startswith("│ ") for line in lines) == len(previews)
