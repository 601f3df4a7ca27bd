"""Pages, cursors, and answers that need not be sent again."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.inside import inside, rich

from holdfast.server.http.etags import ChangedSinceRead, NoSum, check_match, names_tag, quote_tag
from holdfast.server.http.paging import BadPageCursor, slice_page

SUM = "a" * 64
BAD: tuple[object, ...] = ({"a": 1}, [-1, "a"], [True, "a"], [1, 2], [1, "a", 3], "a", 7)


def walked(rows: list[str], limit: int) -> list[str]:
    found: list[str] = []
    cursor = ""
    while True:
        some, cursor = slice_page(rows, cursor, limit, str)
        found += some
        if not cursor:
            return found


@given(st.lists(st.text(), unique=True, max_size=40), st.integers(1, 12))
def test_pages_together_are_the_list(rows: list[str], limit: int) -> None:
    assert walked(rows, limit) == rows


@given(st.lists(st.text(), unique=True, min_size=4, max_size=30), st.data())
def test_rows_that_come_and_go_before_a_cursor_neither_repeat_nor_hide_others(
    rows: list[str], data: st.DataObject
) -> None:
    limit = data.draw(st.integers(1, len(rows) - 1))
    first, cursor = slice_page(rows, "", limit, str)
    dropped = data.draw(
        st.sets(st.sampled_from(list(first)), max_size=len(first) - 1).filter(lambda d: first[-1] not in d)
    )

    moved = ["new", *(row for row in rows if row not in dropped)]
    second, _ = slice_page(moved, cursor, len(rows) + 1, str)

    assert list(second) == rows[limit:]


def test_a_page_goes_on_at_its_place_where_its_row_is_gone() -> None:
    _, cursor = slice_page(list("abcdef"), "", 3, str)

    found, _ = slice_page(list("abdef"), cursor, 3, str)

    assert list(found) == ["e", "f"]


@given(st.lists(st.text(), unique=True, max_size=20), st.integers(0, 30), st.integers(1, 12))
def test_a_page_can_begin_anywhere_and_the_next_goes_on_from_it(rows: list[str], at: int, limit: int) -> None:
    found, cursor = slice_page(rows, "", limit, str, at)
    rest = slice_page(rows, cursor, len(rows) + 1, str)[0] if cursor else []

    assert [*found, *rest] == rows[at:]


@pytest.mark.parametrize(
    "given",
    ["x", "ü", "====", "bnVsbA", *(base64.urlsafe_b64encode(json.dumps(each).encode()).decode() for each in BAD)],
)
def test_a_cursor_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(BadPageCursor):
        slice_page(list("abc"), given, 2, str)


def test_a_list_says_how_many_there_are_and_where_the_next_page_is(tmp_path: Path, home: Path) -> None:
    rich(tmp_path)
    with inside(tmp_path, home) as server:
        whole = server.get("memory/entries").json()
        found, address = [], "memory/entries?limit=3&type=decision&type=invariant"
        while address:
            answer = server.get(address)
            assert int(answer.headers["Holdfast-Total"]) == 4
            found += answer.json()
            link = answer.headers.get("Link", "")
            assert not link or link.endswith('; rel="next"')
            address = link.partition(">")[0].removeprefix("<")

    assert [row["id"] for row in found] == [row["id"] for row in whole if row["type"] in {"decision", "invariant"}]


@pytest.mark.parametrize(
    ("query", "status"), [("cursor=abc", 400), ("limit=0", 422), ("limit=1001", 422), ("limit=x", 422)]
)
def test_a_page_that_cannot_be_is_refused(tmp_path: Path, home: Path, query: str, status: int) -> None:
    rich(tmp_path)
    with inside(tmp_path, home) as server:
        assert server.get(f"memory/entries?{query}").status_code == status


def test_an_answer_that_one_has_is_not_sent_again_until_something_changes(tmp_path: Path, home: Path) -> None:
    rich(tmp_path)
    with inside(tmp_path, home) as server:
        first = server.get("memory/entries")
        again = server.get("memory/entries", headers={"If-None-Match": f'"other", W/{first.headers["ETag"]}'})
        server.post("memory", {"type": "learning", "text": "Something new"})
        later = server.get("memory/entries", headers={"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert later.status_code == 200


@pytest.mark.parametrize("header", [f'"{SUM}"', f'W/"{SUM}"', f'"{SUM}.0123abcd"', "*", f'"{"b" * 64}", "{SUM}"'])
def test_a_change_to_what_was_read_passes(header: str) -> None:
    check_match("DEC-1", SUM, header)
    check_match("DEC-1", SUM, header, SUM)


@pytest.mark.parametrize(("header", "body"), [(quote_tag("b" * 64), ""), ("", "b" * 64), (quote_tag(SUM), "b" * 64)])
def test_a_change_to_what_moved_is_refused(header: str, body: str) -> None:
    with pytest.raises(ChangedSinceRead, match=SUM):
        check_match("DEC-1", SUM, header, body)


def test_a_change_must_say_what_was_read() -> None:
    with pytest.raises(NoSum):
        check_match("DEC-1", SUM, "")


def test_tags_are_named_one_by_one() -> None:
    assert names_tag('"a", "b"', '"b"')
    assert not names_tag('"ab"', '"b"')
    assert not names_tag("", '"b"')
