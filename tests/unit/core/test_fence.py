"""The fence."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.fence import fence_text


@given(st.text(max_size=2000), st.integers(200, 9000))
def test_nothing_breaks_out_and_nothing_overruns(text: str, limit: int) -> None:
    out = fence_text(text, limit)

    assert len(out) <= limit
    if out:
        assert out.startswith("<holdfast ")
        assert out.endswith("</holdfast>")
        assert out.count("<") == 2
        assert all(character.isprintable() or character == "\n" for character in out)


def test_nothing_to_say_is_nothing() -> None:
    assert fence_text("", 8000) == fence_text(" \n ", 8000) == ""
