"""What became of cited code, by content."""

from hashlib import sha256

import pytest

from holdfast.core.memory import Citation
from holdfast.core.value import replace
from holdfast.recall.citations.citation import (
    MOST_MARKS,
    LineSpan,
    hash_lines,
    lines_of,
    make_citation,
    read_marks,
    span_of,
)
from holdfast.recall.citations.drift import (
    CitationDrift,
    CitationState,
    find_drift_in_file,
    find_drift_in_others,
    needs_others,
)

CODE = b"""import os

def one(a):
    return a + 1

def two(a, b):
    total = a + b
    print(total)
    return total

def three(x):
    return x * 3
"""
TWO = LineSpan(begin=5, count=4)
CITED = make_citation("a.py", CODE, TWO)


def told(found: CitationDrift) -> tuple[str, str, int]:
    return found.state, found.lines, found.kept


@pytest.mark.parametrize(
    ("content", "state", "lines", "kept"),
    [
        (CODE, "intact", "6-9", 0),
        (CODE.replace(b"\n", b"\r\n"), "intact", "6-9", 0),
        (CODE.replace(b"print(total)", b"print(total) \t"), "intact", "6-9", 0),
        (CODE.replace(b"x * 3", b"x * 4"), "intact", "6-9", 0),
        (b"# head\n" * 3 + CODE, "moved", "9-12", 0),
        (CODE.replace(b"import os\n\n", b""), "moved", "4-7", 0),
        (CODE.replace(b"print(total)", b"log(total)"), "changed", "6-9", 3),
        (b"# head\n" * 300 + CODE.replace(b"print(total)", b"log(total)"), "changed", "306-309", 3),
        (CODE.replace(b"def two(a, b):", b"def both(\n    a, b\n):"), "changed", "6-11", 3),
        (CODE.replace(b"    print(total)\n", b"    x = 1\n    y = 2\n    print(total)\n"), "changed", "6-11", 4),
        (CODE.replace(b"    return total\n", b""), "changed", "6-8", 3),
        (CODE.replace(b"".join(lines_of(CODE)[5:9]), b"def new(p):\n    return p\n"), "changed", "6-7", 0),
        (CODE.replace(b"".join(lines_of(CODE)[5:10]), b""), "gone", "", 0),
        (b"", "gone", "", 0),
        (b"something\nelse\n" * 50, "gone", "", 0),
    ],
)
def test_cited_lines_are_found_by_what_they_say(content: bytes, state: str, lines: str, kept: int) -> None:
    assert told(find_drift_in_file(CITED, content)) == (state, lines, kept)


def test_a_line_alone_is_found_between_its_neighbours() -> None:
    cited = make_citation("a.py", CODE, LineSpan(begin=3, count=1))

    assert told(find_drift_in_file(cited, CODE.replace(b"a + 1", b"a + 2"))) == ("changed", "4", 0)
    assert told(find_drift_in_file(cited, CODE.replace(b"    return a + 1\n", b""))) == ("gone", "", 0)


def test_lines_that_were_all_of_their_file_are_changed_while_it_says_anything() -> None:
    cited = make_citation("a.py", b"a = 1\nb = 2\n", LineSpan(begin=0, count=2))

    assert told(find_drift_in_file(cited, b"a = 1\nb = 3\n")) == ("changed", "1-2", 1)
    assert told(find_drift_in_file(cited, b"c = 1\nd = 3\n")) == ("changed", "1-2", 0)
    assert told(find_drift_in_file(cited, b"\n\n")) == ("gone", "", 0)


def test_a_line_that_says_little_is_not_taken_for_another_one_like_it() -> None:
    code = b"def first(a):\n    check(a)\n    return None\n\ndef second(b):\n    look(b)\n    return None\n"
    cited = make_citation("a.py", code, LineSpan(begin=2, count=1))

    found = find_drift_in_file(cited, code.replace(b"check(a)\n    return None", b"check(a)\n    return a"))

    assert told(found) == ("changed", "3", 0)
    cut = find_drift_in_file(cited, code.replace(b"check(a)\n    return None", b"check(a)"))
    assert told(cut) == ("gone", "", 0)


def test_of_two_places_the_one_beside_its_neighbours_is_meant() -> None:
    block = b"for each in things:\n    do_something_with(each)\n"
    code = b"def first():\n" + block + b"# between\ndef second():\n" + block + b"# end\n"
    cited = make_citation("a.py", code, LineSpan(begin=5, count=2))

    assert told(find_drift_in_file(cited, b"# new\n" * 3 + code)) == ("moved", "9-10", 0)


def test_a_region_longer_than_its_marks_is_followed_by_its_ends() -> None:
    code = b"".join(b"value_%d = compute(%d)\n" % (n, n) for n in range(500))
    cited = make_citation("a.py", code, LineSpan(begin=100, count=200))
    marks = read_marks(cited)

    assert marks is not None
    assert len(marks.own) == MOST_MARKS
    assert told(find_drift_in_file(cited, b"# new\n" + code)) == ("moved", "102-301", 0)
    changed = find_drift_in_file(cited, b"# new\n" + code.replace(b"compute(180)", b"other(180)"))
    assert told(changed) == ("changed", "102-301", MOST_MARKS)


def test_a_citation_without_marks_is_followed_when_nothing_in_it_changed() -> None:
    cited = replace(CITED, marks="")

    assert told(find_drift_in_file(cited, b"# head\n" + CODE)) == ("moved", "7-10", 0)
    assert told(find_drift_in_file(cited, CODE.replace(b"print", b"log"))) == ("changed", "", 0)


@pytest.mark.parametrize("marks", ["x", "..", "a.b", "AAAA", "!!!.AAAA.", "AAA.AAAA.AAAA", "é.é.é", "AAAA." * 9])
def test_marks_that_cannot_be_read_are_none(marks: str) -> None:
    cited = replace(CITED, marks=marks)

    assert read_marks(cited) is None
    assert find_drift_in_file(cited, CODE).state is CitationState.INTACT


@pytest.mark.parametrize("lines", ["", "x", "0", "5-2", "-1", "1-", "1-2-3", "١", "9" * 30])
def test_odd_lines_name_none(lines: str) -> None:
    assert span_of(lines) is None


def test_a_whole_file_is_intact_or_changed() -> None:
    cited = make_citation("a.py", CODE)

    assert cited.lines == ""
    assert find_drift_in_file(cited, CODE.replace(b"\n", b"\r\n")).state is CitationState.INTACT
    changed = find_drift_in_file(cited, CODE.replace(b"print", b"log"))
    assert (changed.state, changed.kept, changed.of) == (CitationState.CHANGED, 8, 9)
    assert not needs_others(changed)


def test_a_binary_file_is_summed_as_it_is() -> None:
    assert hash_lines([b"\0a \n"]) != hash_lines([b"\0a\n"])
    assert find_drift_in_file(make_citation("a.bin", b"\0a\n"), b"\0b\n").state is CitationState.CHANGED


def test_a_sum_of_the_plain_bytes_counts_too() -> None:
    """As `sed -n 1p FILE | sha256sum` prints it."""
    content = b"a = 1  \r\n"
    plain = Citation(path="a.py", lines="1", sha256=sha256(content).hexdigest())

    assert hash_lines([content]) != plain.sha256
    assert find_drift_in_file(plain, content).state is CitationState.INTACT


GONE = CitationDrift(citation=CITED, state=CitationState.MISSING)


def test_code_is_followed_into_another_file() -> None:
    files = [("x.py", b"nothing\n"), ("lib/b.py", b"# new\n" + CODE), ("y.py", b"more\n")]

    found = find_drift_in_others(GONE, files)

    assert (found.state, found.place) == (CitationState.MOVED, "lib/b.py:7-10")


def test_code_that_stands_in_two_other_files_went_to_none_but_to_one_of_its_name() -> None:
    assert find_drift_in_others(GONE, [("b.py", CODE), ("c.py", CODE)]) == GONE
    assert find_drift_in_others(GONE, [("b.py", CODE), ("lib/a.py", CODE)]).place == "lib/a.py:6-9"


def test_code_that_moved_and_changed_is_followed_by_what_is_left() -> None:
    found = find_drift_in_others(GONE, [("x.py", b"nothing\n"), ("b.py", CODE.replace(b"print(total)", b"log(total)"))])

    assert (found.state, found.place, found.kept) == (CitationState.CHANGED, "b.py:6-9", 3)


def test_a_common_line_is_not_followed_into_other_files() -> None:
    cited = make_citation("a.py", b"import os\n", LineSpan(begin=0, count=1))
    gone = CitationDrift(citation=cited, state=CitationState.MISSING)

    assert find_drift_in_others(gone, [("b.py", b"import os\n")]) == gone


@pytest.mark.slow
@pytest.mark.parametrize("line", [b"x = 1\n", b"\n", b"the same long line of code, again and again\n"])
def test_a_file_of_equal_lines_takes_no_time(line: bytes) -> None:
    """Bounded work, not a measured time: without bounds this would take minutes."""
    code = b"# head\n" + line * 60_000 + b"# tail\n"
    for count in (1, 64, 900, 30_000):
        cited = make_citation("a.py", code, LineSpan(begin=20_000, count=count))
        for marks in (cited.marks, ""):
            changed = replace(cited, marks=marks, sha256="0" * 64)
            assert find_drift_in_file(changed, b"# new\n" + code).state in {
                CitationState.CHANGED,
                CitationState.MISSING,
            }
