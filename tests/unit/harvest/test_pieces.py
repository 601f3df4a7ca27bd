"""What pieces are made of: the same bytes whichever encoder is installed."""

import json
import struct

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.harvest import transcript_pieces
from holdfast.harvest.transcript_pieces import encode_field, value_key

texts = st.text(st.characters(codec="utf-8"), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)


def plain(name: str, value: object) -> bytes:
    return f'"{name}":{json.dumps(value, ensure_ascii=False, separators=(",", ":"))}'.encode()


@settings(max_examples=examples(500), deadline=None)
@given(values)
@example(1e16)
@example(1e-5)
@example(-0.0)
@example([{"a": 5e-324}, 123456789012345678901234567890])
@example('\x00\x1b\x7f\u2028 "\\/')
def test_a_member_is_written_as_json_writes_it(value: object) -> None:
    assert encode_field("output", value) == plain("output", value)


def test_numbers_of_every_size_are_written_as_json_writes_them() -> None:
    numbers = [struct.unpack("<d", struct.pack("<Q", at * 9_200_000_000_000_003))[0] for at in range(2000)]

    assert encode_field("output", numbers) == plain("output", numbers)


@pytest.mark.parametrize("value", ["a \ud800 b", {"text": "\udfff"}, ["\ud83d", 1.5]])
def test_a_lone_surrogate_survives_as_an_escape(value: object) -> None:
    assert json.loads(b"{%s}" % encode_field("output", value)) == {"output": value}


def test_without_the_fast_encoder_the_bytes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"stdout": "été\n\t\x1b[0m", "count": 12, "share": 0.25, "lines": ["a", None, True]}
    fast = encode_field("output", value), value_key(value)

    monkeypatch.setattr(transcript_pieces, "_fast", None)

    assert (encode_field("output", value), value_key(value)) == fast
