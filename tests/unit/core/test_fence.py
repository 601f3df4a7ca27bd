"""The fence."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.fence import fence_text
from holdfast.core.unseen_text import find_unseen


@given(st.text(max_size=2000), st.integers(200, 9000))
def test_nothing_breaks_out_and_nothing_overruns(text: str, limit: int) -> None:
    out = fence_text(text, limit)

    assert len(out) <= limit
    if out:
        assert out.startswith("<holdfast ")
        assert out.endswith("</holdfast>")
        assert out.count("<") == 2
        assert find_unseen(out) == []
        assert all(letter.isprintable() or letter in "\n\u200c\u200d" for letter in out)


def test_nothing_to_say_is_nothing() -> None:
    assert fence_text("", 8000) == fence_text(" \n ", 8000) == ""
