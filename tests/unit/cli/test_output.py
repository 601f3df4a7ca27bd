"""Text for people and programs."""

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.common import make_progress_lines
from holdfast.cli.output import Output, count_columns, fit, make_inert, one_line
from holdfast.core.errors import NotFound


@given(st.text())
def test_no_text_can_steer_a_terminal(text: str) -> None:
    shown = make_inert(text)

    assert all(c in "\n\t" or (ord(c) >= 32 and not 0x7F <= ord(c) < 0xA0) for c in shown)
    assert not any(c in shown for c in "\u202e\u2066\u200b\u2028")


@given(st.text(), st.integers(1, 80))
def test_fitted_text_never_overruns(text: str, width: int) -> None:
    assert count_columns(fit(one_line(text), width)) <= width


@given(st.dictionaries(st.text(), st.text()))
def test_json_reads_back_whatever_it_holds(document: dict[str, str]) -> None:
    stream = io.StringIO()

    out = Output(as_json=True, stdout=stream)
    out.json(document)
    out.close()

    assert json.loads(stream.getvalue()) == document


def test_ordinary_text_is_left_alone() -> None:
    for text in ("plain", "naïve café", "数据库 ⛔ – “quoted”", "a\tb\nc"):
        assert make_inert(text) == text


def test_an_error_is_told_on_stderr_and_in_json() -> None:
    out, err = io.StringIO(), io.StringIO()

    Output(as_json=True, stdout=out, stderr=err).error(NotFound("It is gone.", "look elsewhere."))

    assert err.getvalue() == "error: It is gone.\nhint: look elsewhere.\n"
    assert json.loads(out.getvalue())["error"] == {
        "family": "not_found", "message": "It is gone.", "hint": "look elsewhere."
    }  # fmt: skip


def test_an_error_after_a_result_is_inside_the_one_document() -> None:
    stream, err = io.StringIO(), io.StringIO()
    out = Output(as_json=True, stdout=stream, stderr=err)

    out.json({"removed": ["DEC-1"]})
    out.error(NotFound("It is gone.", "look elsewhere."))

    told = json.loads(stream.getvalue())
    assert told["removed"] == ["DEC-1"]
    assert told["error"]["family"] == "not_found"


def test_long_work_tells_of_itself_now_and_then_where_no_terminal_is(capsys: pytest.CaptureFixture[str]) -> None:
    moments = iter([0.0, 1.0, 11.0, 11.0, 12.0, 22.0, 22.0, 40.0])
    show = make_progress_lines(lambda: next(moments))

    for done in (1, 700, 800, 1500, 3000):
        show("conflicts", done, 3000)

    assert capsys.readouterr() == ("", "conflicts: 700 of 3,000\nconflicts: 1,500 of 3,000\n")


@pytest.mark.parametrize(
    "text",
    ["::error file=a.py::broken", "  ::set-output name=x::y", "a\n::add-mask::b", "x ##[group]y",
    "##vso[task.complete]",
     "##teamcity[testFailed]", "section_start:1:x"],
)  # fmt: skip
def test_no_text_is_a_command_to_the_log_of_a_build(text: str) -> None:
    stdout, stderr = io.StringIO(), io.StringIO()
    out = Output(as_json=False, stdout=stdout, stderr=stderr)

    out.line(text)
    out.notices([text])

    for said in (stdout.getvalue(), stderr.getvalue()):
        assert not re.search(r"(?m)^\s*::\w|##\[|##vso\[|##teamcity\[|section_start:", said)
        assert re.sub(r"\W", "", text)[:4] in re.sub(r"\W", "", said)


def test_json_holds_no_command_to_the_log_of_a_build() -> None:
    stdout = io.StringIO()
    out = Output(as_json=True, stdout=stdout)

    out.json({"title": "##[error]x"})
    out.close()

    assert "##[" not in stdout.getvalue()
    assert json.loads(stdout.getvalue()) == {"title": "##[error]x"}
