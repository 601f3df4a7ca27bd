"""A citation: code as lines, its sum and marks, and where those lines stand in a file now."""

from binascii import a2b_base64, b2a_base64, crc32
from collections.abc import Iterator, Sequence
from hashlib import sha256

from holdfast.core.memory import Citation
from holdfast.core.value import Value

LARGEST = 4 * 1024 * 1024
MOST_HASHED = 2 * 1024 * 1024
MOST_PLACES = 1_000
MOST_MARKS = 64
AROUND = 3
WIDTH = 3
BLANK = 0
LONGEST_NUMBER = 9


class LineSpan(Value):
    """Lines of a file: how many stand before them, and how many they are."""

    begin: int
    count: int

    @property
    def end(self) -> int:
        """The line after the last, counted from 0."""
        return self.begin + self.count

    @property
    def text(self) -> str:
        """As a citation names them: 10-24, or 10."""
        return f"{self.begin + 1}-{self.end}" if self.count > 1 else f"{self.begin + 1}"


class LineMarks(Value):
    """Short sums of single lines: those before the cited ones, the cited ones (of many, the first and last), after."""

    before: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


def span_of(lines: str) -> LineSpan | None:
    """The lines that a citation names; None for what names none."""
    first, dash, last = lines.partition("-")
    numbers = (first, last if dash else first)
    if not all(number.isascii() and number.isdecimal() and len(number) <= LONGEST_NUMBER for number in numbers):
        return None
    begin, end = map(int, numbers)
    return LineSpan(begin=begin - 1, count=end - begin + 1) if 1 <= begin <= end else None


def lines_of(content: bytes) -> list[bytes]:
    """The lines of a file, each with its end."""
    return content.splitlines(keepends=True)


def make_citation(path: str, content: bytes, span: LineSpan | None = None) -> Citation:
    """The citation of some lines of a file, or of all of it."""
    lines = lines_of(content)
    if span is None:
        own = marks_of(_first_and_last(lines))
        return Citation(path=path, sha256=hash_lines(lines), marks=_encode_marks(LineMarks(own=own)))
    marks = LineMarks(
        before=marks_of(lines[max(0, span.begin - AROUND) : span.begin]),
        own=marks_of(_first_and_last(lines[span.begin : span.end])),
        after=marks_of(lines[span.end : span.end + AROUND]),
    )
    digest = hash_lines(lines[span.begin : span.end])
    return Citation(path=path, lines=span.text, sha256=digest, marks=_encode_marks(marks))


def hash_lines(lines: Sequence[bytes]) -> str:
    """The sha256 of lines, whatever their ends: without spaces there, each ended by a newline. Of binary, as it is."""
    content = b"".join(lines)
    if b"\0" in content:
        return sha256(content).hexdigest()
    return sha256(b"".join(_strip_line_end(line) + b"\n" for line in lines)).hexdigest()


def marks_of(lines: Sequence[bytes]) -> tuple[int, ...]:
    """The mark of each line; a blank one's is 0."""
    return tuple([crc32(_strip_line_end(line)) & 0xFFFFFF for line in lines])


def read_marks(citation: Citation) -> LineMarks | None:
    """The marks that a citation keeps; None when it keeps none that can be read."""
    try:
        before, own, after = map(_decode_marks, citation.marks.split("."))
    except ValueError:
        return None
    return LineMarks(before=before, own=own, after=after) if own else None


def find_cited_lines(lines: Sequence[bytes], citation: Citation) -> LineSpan | None:
    """Where the cited lines stand in a file, as they were: at their place, else the likeliest. None: nowhere."""
    whole = LineSpan(begin=0, count=len(lines))
    span = span_of(citation.lines) if citation.lines else whole
    if span is None or span.count > len(lines):
        return None
    if span.end <= len(lines) and _has_sum(lines[span.begin : span.end], citation.sha256):
        return span
    if not citation.lines:
        return None
    for begin in _places(lines, citation, span):
        if _has_sum(lines[begin : begin + span.count], citation.sha256):
            return LineSpan(begin=begin, count=span.count)
    return None


def _places(lines: Sequence[bytes], citation: Citation, span: LineSpan) -> Iterator[int]:
    """Where the cited lines may begin: by their marks, beside their neighbours, near; without marks, near."""
    last = len(lines) - span.count
    marks = read_marks(citation)
    if marks is None:
        yield from _search_outwards(lines, span, last)
        return
    head = list(marks.own[: min(span.count, MOST_MARKS // 2)])
    found = list(marks_of(lines))
    begins = [at for at, mark in enumerate(found[: last + 1]) if mark == head[0] and found[at : at + len(head)] == head]
    known = _Neighbours(marks, found)
    near = sorted(begins, key=lambda at: abs(at - span.begin))[:MOST_PLACES]
    most = _max_hashes(lines, span) + 1
    yield from sorted(near, key=lambda at: (-known.left(at, span.count), abs(at - span.begin)))[:most]


class _Neighbours:
    """The lines beside the cited ones."""

    def __init__(self, marks: LineMarks, found: Sequence[int]) -> None:
        self._marks, self._found = marks, found

    def left(self, begin: int, count: int) -> int:
        """How many of them stand beside a place, next to it first, that are not blank."""
        above = zip(reversed(self._marks.before), reversed(self._found[max(0, begin - AROUND) : begin]), strict=False)
        below = zip(self._marks.after, self._found[begin + count : begin + count + AROUND], strict=False)
        return sum(was == now != BLANK for was, now in (*above, *below))


def has_own_context(lines: Sequence[bytes], citation: Citation, span: LineSpan) -> bool:
    """Whether some line that stood beside the cited ones stands beside a place; yes where none is known."""
    marks = read_marks(citation)
    if marks is None or not any((*marks.before, *marks.after)):
        return True
    return _Neighbours(marks, marks_of(lines)).left(span.begin, span.count) > 0


def _search_outwards(lines: Sequence[bytes], span: LineSpan, last: int) -> Iterator[int]:
    start = min(span.begin, last)
    for step in range(min(max(start, last - start), _max_hashes(lines, span)) + 1):
        yield from {at for at in (start - step, start + step) if 0 <= at <= last}


def _max_hashes(lines: Sequence[bytes], span: LineSpan) -> int:
    """How many places may be summed: a file of equal lines has as many as it has lines."""
    average = sum(map(len, lines)) // len(lines) + 1
    return MOST_HASHED // (average * span.count)


def _has_sum(lines: Sequence[bytes], digest: str) -> bool:
    """Whether lines have a sum: ours, or that of the bytes as they are, or as git turned their ends over."""
    if hash_lines(lines) == digest:
        return True
    content = b"".join(lines)
    return digest in {
        sha256(content).hexdigest(), sha256(content.replace(b"\r\n", b"\n")).hexdigest(),
    }  # fmt: skip


def _strip_line_end(line: bytes) -> bytes:
    return line.rstrip(b" \t\r\n")


def _first_and_last(lines: Sequence[bytes]) -> Sequence[bytes]:
    half = MOST_MARKS // 2
    return lines if len(lines) <= MOST_MARKS else [*lines[:half], *lines[-half:]]


def _encode_marks(marks: LineMarks) -> str:
    parts = (b"".join(mark.to_bytes(WIDTH, "big") for mark in each) for each in (marks.before, marks.own, marks.after))
    written = ".".join(b2a_base64(part, newline=False).decode() for part in parts)
    return written if marks.own else ""


def _decode_marks(text: str) -> tuple[int, ...]:
    data = a2b_base64(text, strict_mode=True) if text else b""
    if len(data) % WIDTH:
        raise ValueError(len(data))
    return tuple(int.from_bytes(data[at : at + WIDTH], "big") for at in range(0, len(data), WIDTH))
