"""Text for people and programs."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.output import Output, columns, fit, inert, one_line
from holdfast.domain.errors import NotFound


@given(st.text())
def test_no_text_can_steer_a_terminal(text: str) -> None:
    shown = inert(text)

    assert all(c in "\n\t" or (ord(c) >= 32 and not 0x7F <= ord(c) < 0xA0) for c in shown)
    assert not any(c in shown for c in "\u202e\u2066\u200b\u2028")


@given(st.text(), st.integers(1, 80))
def test_fitted_text_never_overruns(text: str, width: int) -> None:
    assert columns(fit(one_line(text), width)) <= width


@given(st.dictionaries(st.text(), st.text()))
def test_json_reads_back_whatever_it_holds(document: dict[str, str]) -> None:
    stream = io.StringIO()

    Output(as_json=True, stdout=stream).json(document)

    assert json.loads(stream.getvalue()) == document


def test_ordinary_text_is_left_alone() -> None:
    for text in ("plain", "naïve café", "数据库 ⛔ – “quoted”", "a\tb\nc"):
        assert inert(text) == text


def test_an_error_is_told_on_stderr_and_in_json() -> None:
    out, err = io.StringIO(), io.StringIO()

    Output(as_json=True, stdout=out, stderr=err).error(NotFound("It is gone.", "look elsewhere."))

    assert err.getvalue() == "error: It is gone.\nhint: look elsewhere.\n"
    assert json.loads(out.getvalue())["error"] == {
        "family": "not_found", "message": "It is gone.", "hint": "look elsewhere."
    }  # fmt: skip
