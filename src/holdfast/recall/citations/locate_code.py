"""Cited code looked up in the workspace: in its own file, then, with bounded work, in the others."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from time import monotonic

from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Citation
from holdfast.core.value import Value, replace
from holdfast.recall.citations.citation import lines_of, marks_of, read_marks, span_of
from holdfast.recall.citations.drift import (
    LEFT_ELSEWHERE,
    CitationDrift,
    CitationState,
    find_drift_in_file,
    find_drift_in_others,
    needs_others,
)
from holdfast.recall.citations.stale_citations import (
    FOLLOWED,
    NotLookedAt,
    citation_name,
    load_moves,
    read_cited_file,
)
from holdfast.system.safe_write import put_file
from holdfast.vault.git_versions import Repository

MOST_FILES = 5_000
MOST_LISTED = 200_000
LARGEST = 1024 * 1024
MOST_BYTES = 64 * 1024 * 1024
SECONDS = 5.0
# Without marks, only files of the old name are looked through: each costs a sum per line.
MOST_UNMARKED = 20
TOO_MANY = "not all files could be looked through"
SKIPPED = frozenset((".git", ".holdfast", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox"))


def locate_in_own_file(root: str, citation: Citation) -> CitationDrift:
    """What became of cited code, by its own file alone."""
    try:
        content = read_cited_file(root, citation.path)
    except NotLookedAt as error:
        return _make_unreadable_drift(citation, str(error))
    if content is None:
        return CitationDrift(citation=citation, state=CitationState.MISSING)
    if not citation.sha256:
        return _make_unreadable_drift(citation, "it has no sha256")
    if citation.lines and span_of(citation.lines) is None:
        return _make_unreadable_drift(citation, f"its lines are none: {citation.lines[:40]!r}")
    return find_drift_in_file(citation, content)


def locate_citations(root: str, citations: Sequence[Citation]) -> list[CitationDrift]:
    """What became of each citation; code that its own file does not hold is looked for in the others."""
    others = _Others(root, [each.path for each in citations])
    return [_follow_citation(root, locate_in_own_file(root, each), others) for each in citations]


def save_moves(root: str, drifts: Sequence[CitationDrift]) -> None:
    """Write down where code went, so that recall need not look for it. It can be found again: trouble is no trouble."""
    before = load_moves(root)
    after = before | {citation_name(drift.citation): drift.path for drift in drifts}
    after = {name: path for name, path in after.items() if path and path != name.partition(":")[2]}
    if after != before and os.path.isdir(os.path.join(root, os.path.dirname(FOLLOWED))):
        with suppress(HoldfastError, OSError):
            put_file(os.path.join(root, FOLLOWED), json.dumps(after).encode())


def _follow_citation(root: str, drift: CitationDrift, others: "_Others") -> CitationDrift:
    if not needs_others(drift):
        return drift
    renamed = others.renamed(drift.citation.path) if drift.state is CitationState.MISSING else ""
    if renamed:
        found = _locate_in_new_file(root, drift, renamed)
        if found.state is not CitationState.MISSING:
            return found
    found = find_drift_in_others(drift, others.holding(drift.citation))
    return replace(found, why=TOO_MANY) if found.state is CitationState.MISSING and others.cut_short else found


def _locate_in_new_file(root: str, drift: CitationDrift, path: str) -> CitationDrift:
    """What became of it in the file that git says its own became: there it is judged as in its own."""
    citation = drift.citation
    try:
        content = read_cited_file(root, path)
    except NotLookedAt:
        return drift
    if content is None:
        return drift
    found = find_drift_in_file(citation, content)
    if found.state is CitationState.MISSING:
        return drift
    state = CitationState.MOVED if found.state is CitationState.INTACT else found.state
    return CitationDrift(citation=citation, state=state, path=path, lines=found.lines, kept=found.kept, of=found.of)


def _make_unreadable_drift(citation: Citation, why: str) -> CitationDrift:
    return CitationDrift(citation=citation, state=CitationState.UNREADABLE, why=why)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _suffix(path: str) -> str:
    return _name(path).rpartition(".")[2]


class _File(Value):
    """A file that may hold what is sought, by the marks of its lines."""

    path: str
    marks: frozenset[int]


class _Others:
    """The other files of a workspace: each read once for its marks, as far as files, bytes and time allow."""

    def __init__(self, root: str, sought: Sequence[str]) -> None:
        self._root = root
        self._git = Repository(root)
        self._parts = [frozenset(map(part, sought)) for part in (_name, _folder, _suffix)]
        self.cut_short = False

    def renamed(self, path: str) -> str:
        """Where a file that is gone went, as git tells; an empty text when it does not."""
        return self._git.renamed(path)

    def holding(self, citation: Citation) -> Iterator[tuple[str, bytes]]:
        """The files that may hold cited code, with what they hold."""
        marks = read_marks(citation)
        if marks is None:
            paths = [path for path in self._paths if _name(path) == _name(citation.path)][:MOST_UNMARKED]
        else:
            own = frozenset(marks.own)
            paths = [each.path for each in self._files if len(own & each.marks) >= LEFT_ELSEWHERE * len(own)]
        for path in paths:
            content = self._read(path) if path != citation.path else None
            if content is not None:
                yield path, content

    @cached_property
    def _files(self) -> list[_File]:
        found: list[_File] = []
        end, left = monotonic() + SECONDS, MOST_BYTES
        self.cut_short = len(self._paths) > MOST_FILES
        for path in self._paths[:MOST_FILES]:
            content = self._read(path)
            if content is not None and b"\0" not in content[:8000]:
                found.append(_File(path=path, marks=frozenset(marks_of(lines_of(content)))))
                left -= len(content)
            if left < 0 or monotonic() > end:
                self.cut_short = True
                break
        return found

    @cached_property
    def _paths(self) -> list[str]:
        listed = self._git.files(MOST_LISTED)
        found = listed if listed is not None else self._walked()
        return sorted((path for path in found if not SKIPPED.intersection(path.split("/")[:-1])), key=self._unlike)

    def _unlike(self, path: str) -> int:
        """Files of the same name come first, then those of the same folder, then those of the same kind."""
        like = (part(path) in known for part, known in zip((_name, _folder, _suffix), self._parts, strict=True))
        return next((rank for rank, is_like in enumerate(like) if is_like), len(self._parts))

    def _walked(self) -> list[str]:
        """The files of a folder without git, those near its top first."""
        found: list[str] = []
        folders = [""]
        for folder in folders:
            try:
                entries = sorted(os.scandir(os.path.join(self._root, folder)), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                path = f"{folder}{entry.name}"
                if entry.is_dir(follow_symlinks=False) and entry.name not in SKIPPED:
                    folders.append(f"{path}/")
                elif entry.is_file(follow_symlinks=False):
                    found.append(path)
            if len(found) + len(folders) > MOST_LISTED:
                break
        return found

    def _read(self, path: str) -> bytes | None:
        try:
            content = read_cited_file(self._root, path)
        except NotLookedAt:
            return None
        return content if content is not None and len(content) <= LARGEST else None
