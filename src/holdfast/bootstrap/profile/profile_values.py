"""What reading a code base gives: tallies of answers, and the traits that hold clearly."""

from collections import Counter
from collections.abc import Iterable, Iterator

from holdfast.core.value import Value

LEAST_CASES, LEAST_CASE_FILES, CASE_SHARE = 20, 3, 0.9
LEAST_FILES, FILE_SHARE = 5, 0.8
LEAST_COMMITS, COMMIT_SHARE = 20, 0.8
MOST_SAMPLES = 3
LONGEST_SAMPLE = 80


class ExamplePlace(Value):
    """A place that shows something: a line of a file, and the words there."""

    path: str
    line: int
    text: str = ""


class Trait(Value):
    """One question about the code, and the answer that holds in so many cases of all."""

    key: str
    answer: str
    cases: int
    of: int
    files: int
    unit: str = ""
    seen: tuple[ExamplePlace, ...] = ()
    exceptions: tuple[ExamplePlace, ...] = ()
    paths: tuple[str, ...] = ()


class Bar(Value):
    """How much it takes until a trait counts as clear."""

    cases: int
    files: int
    share: float


BY_CASE = Bar(cases=LEAST_CASES, files=LEAST_CASE_FILES, share=CASE_SHARE)
BY_FILE = Bar(cases=LEAST_FILES, files=LEAST_FILES, share=FILE_SHARE)
BY_COMMIT = Bar(cases=LEAST_COMMITS, files=0, share=COMMIT_SHARE)


class Tally:
    """Answers to one question, counted, with a few places for each."""

    def __init__(self, bar: Bar, unit: str) -> None:
        self.bar, self.unit = bar, unit
        self._counts: Counter[str] = Counter()
        self._files: dict[str, dict[str, None]] = {}
        self._seen: dict[str, list[ExamplePlace]] = {}

    def add(self, answer: str, path: str, line: int = 1, text: str = "") -> None:
        """Count a case."""
        self._counts[answer] += 1
        files = self._files.setdefault(answer, {})
        seen = self._seen.setdefault(answer, [])
        if path not in files and len(seen) < MOST_SAMPLES:
            seen.append(ExamplePlace(path=path, line=line, text=text[:LONGEST_SAMPLE]))
        files[path] = None

    def trait(self, key: str) -> Trait | None:
        """The answer that holds clearly, if one does."""
        total = self._counts.total()
        if not total:
            return None
        answer = min(self._counts, key=lambda each: (-self._counts[each], each))
        cases, files = self._counts[answer], self._files[answer]
        if cases < self.bar.cases or len(files) < self.bar.files or cases / total < self.bar.share:
            return None
        others = [seen for other in sorted(self._seen) if other != answer for seen in self._seen[other]]
        return Trait(
            key=key,
            answer=answer,
            cases=cases,
            of=total,
            files=len(files),
            unit=self.unit,
            seen=tuple(self._seen[answer]),
            exceptions=tuple(others[:MOST_SAMPLES]),
            paths=tuple(files),
        )


class TraitTallies:
    """All tallies of a code base, by question."""

    def __init__(self) -> None:
        self._tallies: dict[str, Tally] = {}

    def case(self, key: str, unit: str, answer: str, path: str, line: int = 1, text: str = "") -> None:
        """Count one case of a question about cases."""
        self._of(key, BY_CASE, unit).add(answer, path, line, text)

    def file(self, key: str, unit: str, answer: str, path: str, line: int = 1, text: str = "") -> None:
        """Count one file of a question about files."""
        self._of(key, BY_FILE, unit).add(answer, path, line, text)

    def commit(self, key: str, answer: str, subject: str) -> None:
        """Count one commit."""
        self._of(key, BY_COMMIT, "commits").add(answer, "", 0, subject)

    def traits(self, settled: Iterable[str] = ()) -> Iterator[Trait]:
        """What holds clearly, but for what a tool's settings settle already."""
        left_out = frozenset(settled)
        for key in sorted(self._tallies.keys() - left_out):
            found = self._tallies[key].trait(key)
            if found:
                yield found

    def _of(self, key: str, bar: Bar, unit: str) -> Tally:
        return self._tallies.setdefault(key, Tally(bar, unit))
