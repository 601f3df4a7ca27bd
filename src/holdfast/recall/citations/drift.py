"""What became of cited code: found by content, in its file or in another one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum

from holdfast.core.memory import Citation
from holdfast.core.value import Value, replace
from holdfast.recall.citations.citation import (
    BLANK,
    LineMarks,
    LineSpan,
    find_cited_lines,
    has_own_context,
    lines_of,
    marks_of,
    read_marks,
    span_of,
)

# Of the cited lines that say something, so many must be left for the rest to be the same code, changed: half in its
# own file before other files are looked at, a quarter when they hold nothing, and more where only the words speak.
MOST_LEFT, SOME_LEFT, LEFT_ELSEWHERE = 0.5, 0.25, 0.6
FEWEST_ELSEWHERE = 3
FEWEST_LETTERS = 2
# So few letters stand in many places: `return None` found elsewhere need not be the one that was cited.
COMMON = 30
SLACK = 40
MOST_ALIGNED = 1_000


class CitationState(StrEnum):
    """How cited code stands."""

    INTACT = "intact"
    MOVED = "moved"
    CHANGED = "changed"
    MISSING = "gone"
    UNREADABLE = "unreadable"


DRIFTED = (CitationState.MOVED, CitationState.CHANGED, CitationState.MISSING)
# What a reader must know, the most telling first.
STALE = {CitationState.CHANGED: "code changed since", CitationState.MISSING: "cited code is gone"}


class CitationDrift(Value):
    """What became of a citation: where it stands now, and how many of its lines are left. `why`: it was not read.

    `cut`: it is gone, and what stood around it stands together now.
    """

    citation: Citation
    state: CitationState
    path: str = ""
    lines: str = ""
    kept: int = 0
    of: int = 0
    why: str = ""
    cut: bool = False

    @property
    def share(self) -> float:
        """How much of it is left."""
        return self.kept / self.of if self.of else 0.0

    @property
    def place(self) -> str:
        """Where it stands now, as a person names it; empty when that is not known."""
        return f"{self.path}:{self.lines}" if self.lines else self.path


def find_drift_in_file(citation: Citation, content: bytes) -> CitationDrift:
    """What became of cited code in its own file, by what the file holds now."""
    lines = lines_of(content)
    span = find_cited_lines(lines, citation)
    if span is None:
        return _partial_drift(citation, lines)
    if not citation.lines or span == span_of(citation.lines):
        return CitationDrift(citation=citation, state=CitationState.INTACT, path=citation.path, lines=citation.lines)
    if _is_common(lines, span) and not has_own_context(lines, citation, span):
        found = _partial_drift(citation, lines)
        if (found.state is CitationState.CHANGED and found.lines != span.text) or found.cut:
            return found
    return CitationDrift(citation=citation, state=CitationState.MOVED, path=citation.path, lines=span.text)


def needs_others(drift: CitationDrift) -> bool:
    """Whether other files must be looked at to tell what became of it."""
    return drift.state is CitationState.MISSING or (
        drift.state is CitationState.CHANGED and drift.of > 0 and drift.share < MOST_LEFT
    )


def find_drift_in_others(drift: CitationDrift, files: Iterable[tuple[str, bytes]]) -> CitationDrift:
    """What became of cited code that its own file does not tell, by other files: the same lines, else most of them.

    Lines that stand in several of them were moved to none, unless one has the old file's name.
    """
    same: list[CitationDrift] = []
    partly: list[CitationDrift] = []
    for path, content in files:
        found = replace(_moved_drift(drift.citation, lines_of(content)), path=path)
        if found.state is CitationState.MOVED:
            same.append(found)
        elif found.share >= LEFT_ELSEWHERE and found.kept >= FEWEST_ELSEWHERE:
            partly.append(found)
    named = [found for found in same if _name(found.path) == _name(drift.citation.path)]
    if len(same) == 1 or len(named) == 1:
        return (named or same)[0]
    return max(partly, key=lambda found: found.share, default=drift) if not same else drift


def _moved_drift(citation: Citation, lines: Sequence[bytes]) -> CitationDrift:
    span = find_cited_lines(lines, citation)
    if span is None or _is_common(lines, span):
        return _partial_drift(citation, lines)
    return CitationDrift(citation=citation, state=CitationState.MOVED, lines=span.text if citation.lines else "")


def _is_common(lines: Sequence[bytes], span: LineSpan) -> bool:
    """Whether lines say so little that they may stand in many places."""
    said = {line.strip() for line in lines[span.begin : span.end]}
    return sum(map(_count_letters, said)) < COMMON


def _count_letters(line: bytes) -> int:
    return sum(chr(byte).isalnum() or byte >= 0x80 for byte in line[:200])


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _partial_drift(citation: Citation, lines: Sequence[bytes]) -> CitationDrift:
    """Code of which some lines are left, or whose neighbours are and have something between them."""
    marks = read_marks(citation)
    changed = CitationDrift(citation=citation, state=CitationState.CHANGED, path=citation.path)
    if marks is None:
        return changed
    cited = span_of(citation.lines)
    if not citation.lines or (cited and cited.count > MOST_ALIGNED):
        kept, of = _count_shared(marks, lines)
        return replace(changed, kept=kept, of=of)
    gone = CitationDrift(citation=citation, state=CitationState.MISSING)
    found = _Alignment(marks, lines, cited) if cited else None
    if found is None or not found.stands:
        return replace(gone, cut=found is not None and found.cut)
    return replace(changed, lines=found.span.text, kept=found.kept, of=found.of)


def _count_shared(marks: LineMarks, lines: Sequence[bytes]) -> tuple[int, int]:
    """How many of the marked lines of a whole file, or of most of one, are left in it."""
    there = Counter(marks_of(lines))
    kept = sum((Counter(mark for mark in marks.own if mark != BLANK) & there).values())
    return kept, sum(mark != BLANK for mark in marks.own)


class _Alignment:
    """Cited lines and their neighbours, laid against the stretch of a file that holds most of them."""

    def __init__(self, marks: LineMarks, lines: Sequence[bytes], cited: LineSpan) -> None:
        self._lines, self._cited = lines, cited
        self._file = marks_of(lines)
        self._sought = (*marks.before, *marks.own, *marks.after)
        self._first, self._last = len(marks.before), len(marks.before) + len(marks.own)
        self._pairs = list(self._matched())
        own = [(at, there) for at, there in self._pairs if self._first <= at < self._last and self._tells(there)]
        self.kept, self.of = len(own), sum(mark != BLANK for mark in marks.own)
        self.span = self._span()

    @property
    def stands(self) -> bool:
        """Whether enough is left for this to be the same code, changed."""
        if self._is_empty() or self.span.count > 3 * self._cited.count + SLACK:
            return False
        return (self.kept > 0 and self.kept >= SOME_LEFT * self.of) or self._is_enclosed()

    @property
    def cut(self) -> bool:
        """Whether its neighbours are left and nothing stands between them."""
        return self._is_empty() and self._is_enclosed()

    def _is_empty(self) -> bool:
        return self.span.count <= 0 or not b"".join(self._lines[self.span.begin : self.span.end]).strip()

    def _is_enclosed(self) -> bool:
        """Whether the neighbours on both sides are left; the file's own begin or end is a neighbour too."""
        telling = [at for at, there in self._pairs if self._tells(there)]
        before = any(at < self._first for at in telling) or (self._first == 0 and self.span.begin == 0)
        at_end = self._last == len(self._sought) and self.span.end == len(self._lines)
        after = any(at >= self._last for at in telling) or at_end
        had_none = self._first == 0 and self._last == len(self._sought)
        return before and after and (had_none or bool(telling))

    def _matched(self) -> Iterator[tuple[int, int]]:
        """Which sought line stands at which line of the file, in order."""
        begin, end = self._stretch()
        match = SequenceMatcher(None, self._sought, self._file[begin:end], autojunk=False)
        for block in match.get_matching_blocks():
            yield from ((block.a + at, begin + block.b + at) for at in range(block.size))

    def _stretch(self) -> tuple[int, int]:
        """The part of the file that holds most of what is sought; a line that is rare in the file weighs more."""
        often, sought = Counter(self._file), frozenset(self._sought)
        hits = [at for at, mark in enumerate(self._file) if mark in sought and self._tells(at)]
        room = self._cited.count + len(self._sought) - (self._last - self._first) + SLACK
        best, weight, left = (0.0, 0, 0), 0.0, 0
        for at in hits:
            weight += 1 / often[self._file[at]]
            while hits[left] < at - room:
                weight -= 1 / often[self._file[hits[left]]]
                left += 1
            best = max(best, (round(weight, 6), -abs(hits[left] - self._cited.begin), hits[left]))
        return max(0, best[2] - SLACK), best[2] + room + SLACK

    def _tells(self, at: int) -> bool:
        """Whether a line of the file says something: a bracket alone stands everywhere."""
        return _count_letters(self._lines[at]) >= FEWEST_LETTERS

    def _span(self) -> LineSpan:
        """Where the cited lines begin and end now: at their own lines, else beside their neighbours."""
        inside = [pair for pair in self._pairs if self._first <= pair[0] < self._last]
        before = [pair for pair in self._pairs if pair[0] < self._first]
        after = [pair for pair in self._pairs if pair[0] >= self._last]
        low = before[-1][1] + self._first - before[-1][0] if before else 0
        high = after[0][1] - (after[0][0] - self._last) if after else len(self._lines)
        begin = self._begin(inside, low, bounded=bool(before))
        end = self._end(inside, high, bounded=bool(after))
        return LineSpan(begin=begin, count=end - begin)

    def _begin(self, inside: Sequence[tuple[int, int]], low: int, *, bounded: bool) -> int:
        if not inside or (bounded and inside[0][0] > self._first):
            return low
        at, there = inside[0]
        return max(low, there - (at - self._first))

    def _end(self, inside: Sequence[tuple[int, int]], high: int, *, bounded: bool) -> int:
        if not inside or (bounded and inside[-1][0] < self._last - 1):
            return high
        at, there = inside[-1]
        return min(high, there + self._last - at)
