"""How what is to be forgotten is known again, however it is written down."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.forget.removal_query import (
    OVERLAP,
    WINDOW,
    ForgetQuery,
    ForgetTextTooShort,
    build_subject_query,
    build_text_query,
)

NAMES = st.lists(st.text(st.characters(categories=("L", "N")), min_size=3, max_size=12), min_size=1, max_size=3)


@pytest.mark.parametrize(
    "text", ["Jane Doe", "jane doe", "JANE  DOE", "jane_doe", "jane-doe.md", "(Jane\nDoe)", "x/jane-doe/y"]
)
def test_a_subject_is_found_in_any_case_and_with_what_stands_between(text: str) -> None:
    assert build_subject_query("Jane Doe").matches(text)


@pytest.mark.parametrize("text", ["Janet Doe", "Jane Doetsch", "JaneDoe", "Doe Jane", "Jane and Doe", ""])
def test_another_name_is_not_taken_for_it(text: str) -> None:
    assert not build_subject_query("Jane Doe").matches(text)


def test_a_letter_that_unicode_has_in_two_spellings_is_one() -> None:
    assert build_subject_query("Jose\u0301 Ruiz").matches("gr\u00fc\u00dfe an Jos\u00e9 Ruiz")
    assert build_subject_query("Jos\u00e9 Ruiz").matches("Jose\u0301 Ruiz")


def test_json_hides_nothing_not_even_json_in_json() -> None:
    inner = json.dumps({"by": "J\u00f6rg\nM\u00fcller"})
    for text in (inner, json.dumps({"output": inner}), json.dumps([json.dumps({"output": inner})])):
        assert "J\u00f6rg" not in text
        assert build_subject_query("J\u00f6rg M\u00fcller").holds(text)


def test_a_path_of_windows_is_no_escape() -> None:
    assert build_text_query("C:\\new").holds("dir C:\\new now")


@given(NAMES, st.text(max_size=40), st.text(max_size=40))
def test_a_name_is_found_wherever_json_puts_it(parts: list[str], before: str, after: str) -> None:
    name = " ".join(parts)
    text = f"{before} {name} {after}"

    assert build_subject_query(name).matches(text)
    assert build_text_query(name).holds(json.dumps({"text": text}))
    assert build_subject_query(name).holds(json.dumps(json.dumps({"text": text})))


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(WINDOW - 2 * OVERLAP, WINDOW + OVERLAP), st.integers(1_000, 70_000))
def test_pieces_of_any_size_hide_nothing_at_their_seams(at: int, size: int) -> None:
    raw = b"." * at + b" Jane Doe " + b"." * OVERLAP
    pieces = [raw[begin : begin + size] for begin in range(0, len(raw), size)]

    assert build_subject_query("Jane Doe").in_pieces(pieces)
    assert not build_subject_query("John Doe").in_pieces(pieces)


def test_bytes_that_are_no_text_hide_nothing() -> None:
    assert build_subject_query("Jane Doe").in_pieces([b"\xff\xfe Jane", b" Doe \xff"])


def test_too_little_is_refused() -> None:
    for make in (build_text_query, build_subject_query):
        with pytest.raises(ForgetTextTooShort):
            make(" a ")


def test_ids_are_known_by_their_lines_and_names_by_their_words() -> None:
    sought = ForgetQuery(ids=("DEC-7K2MQ4",), lines=("Use Textual for the terminal user interface",))

    assert sought.holds("… Use Textual for the terminal user interface …")
    assert not sought.by_words
    assert build_text_query("hunter2 secret").named("learnings/LRN-000001-hunter2-secret.md")
