"""Laws of citations: what was not touched is found, wherever it went."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.memory import Citation
from holdfast.recall.citations.citation import (
    LineSpan,
    find_cited_lines,
    hash_lines,
    lines_of,
    make_citation,
    read_marks,
    span_of,
)
from holdfast.recall.citations.drift import CitationState, find_drift_in_file, find_drift_in_others

# Each line is its own: which of two equal places is meant cannot be told.
words = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=4, max_size=12)
files = st.lists(words, min_size=1, max_size=40, unique=True).map(
    lambda each: [f"line {word} {at}\n".encode() for at, word in enumerate(each)]
)
fresh = st.lists(words.map(lambda word: f"fresh {word}\n".encode()), max_size=60)


@st.composite
def cited(draw: st.DrawFn) -> tuple[list[bytes], LineSpan, Citation]:
    lines = draw(files)
    begin = draw(st.integers(0, len(lines) - 1))
    span = LineSpan(begin=begin, count=draw(st.integers(1, len(lines) - begin)))
    return lines, span, make_citation("a.py", b"".join(lines), span)


@given(cited(), fresh)
def test_lines_put_above_move_it_by_as_many(case: tuple[list[bytes], LineSpan, Citation], above: list[bytes]) -> None:
    lines, span, citation = case

    found = find_drift_in_file(citation, b"".join([*above, *lines]))

    moved = LineSpan(begin=span.begin + len(above), count=span.count)
    assert (found.state, found.lines) == (CitationState.MOVED if above else CitationState.INTACT, moved.text)


@given(cited(), fresh, fresh)
def test_an_edit_elsewhere_leaves_it_intact_or_moved(
    case: tuple[list[bytes], LineSpan, Citation], before: list[bytes], after: list[bytes]
) -> None:
    lines, span, citation = case
    own = lines[span.begin : span.end]

    found = find_drift_in_file(citation, b"".join([*before, *own, *after]))

    assert found.lines == LineSpan(begin=len(before), count=span.count).text
    assert found.state is (CitationState.INTACT if len(before) == span.begin else CitationState.MOVED)


@given(cited(), st.data())
def test_a_line_changed_inside_is_never_called_intact_or_moved(
    case: tuple[list[bytes], LineSpan, Citation], data: st.DataObject
) -> None:
    lines, span, citation = case
    at = data.draw(st.integers(span.begin, span.end - 1))

    found = find_drift_in_file(citation, b"".join([*lines[:at], b"another thing\n", *lines[at + 1 :]]))

    assert found.state in {CitationState.CHANGED, CitationState.MISSING}


@given(cited(), st.sampled_from([b"\n", b"\r\n", b" \n", b"\t\r\n"]))
def test_ends_of_lines_do_not_count(case: tuple[list[bytes], LineSpan, Citation], end: bytes) -> None:
    lines, _, citation = case

    assert find_drift_in_file(citation, b"".join(line.rstrip() + end for line in lines)).state is CitationState.INTACT


@given(st.binary(max_size=400), st.binary(max_size=400), st.integers(0, 9), st.integers(1, 9))
def test_any_bytes_are_cited_and_looked_for(content: bytes, other: bytes, begin: int, count: int) -> None:
    many = len(lines_of(content))
    span = LineSpan(begin=begin, count=count) if begin + count <= many else None
    citation = make_citation("a", content, span)

    assert find_drift_in_file(citation, content).state is CitationState.INTACT
    assert find_drift_in_file(citation, other).state in set(CitationState)
    assert find_drift_in_others(find_drift_in_file(citation, b""), [("b", other)]).state in set(CitationState)


@given(st.text(max_size=20), st.text(max_size=80), st.text(max_size=70), st.binary(max_size=300))
def test_a_citation_written_by_anybody_harms_nothing(lines: str, marks: str, digest: str, content: bytes) -> None:
    citation = Citation(path="a", lines=lines, marks=marks, sha256=digest)

    read_marks(citation)
    assert find_drift_in_file(citation, content).state in set(CitationState)


@given(files)
def test_a_place_found_has_the_sum(lines: list[bytes]) -> None:
    citation = make_citation("a.py", b"".join(lines), LineSpan(begin=0, count=1))
    place = find_cited_lines([b"x\n", *lines], citation)

    assert place is not None
    assert hash_lines([b"x\n", *lines][place.begin : place.end]) == citation.sha256
    assert span_of(place.text) == place
