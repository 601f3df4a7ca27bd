"""Memories, passages and a vault of plain lines, for the tests of index and recall."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry, Memory, MemoryFile, MemoryType, Problem, Scope, Status
from holdfast.core.search import Change, Source, SourceChange
from holdfast.index.entry_passages import build_passage
from holdfast.journal.file_journal import FileJournal

# A journal in which nothing was ever written.
SILENT = FileJournal("/nonexistent/journal")


def memory(memory_id: str = "DEC-000001", **fields: Any) -> Memory:
    return Memory(**{"id": memory_id, "type": MemoryType.DECISION, **fields})


def entry(memory_id: str = "DEC-000001", *, path: str = "", scope: Scope = Scope.WORKSPACE, **fields: Any) -> Entry:
    place = path or f"memory/{memory_id}.md"
    return Entry(memory=memory(memory_id, **fields), scope=scope, path=place, line=1, sha256="0" * 64)


def of_file(*entries: Entry, stamp: str = "1", problems: Sequence[Problem] = ()) -> SourceChange:
    first = entries[0]
    source = Source(scope=first.scope, path=first.path, stamp=stamp, sha256=first.sha256)
    return SourceChange(source=source, passages=tuple(map(build_passage, entries)), problems=tuple(problems))


def put(store: IndexStore, *entries: Entry) -> None:
    store.apply(Change(sources=tuple(of_file(each) for each in entries)))


class LineVault:
    """A vault of texts: one memory a line, `ID|status|title|body|supersedes`; a line without bars is a problem."""

    def __init__(self, scope: Scope = Scope.WORKSPACE) -> None:
        self.scope = scope
        self.files: dict[str, str] = {}
        self.settled = True
        self.vanished: set[str] = set()

    def stamps(self) -> Mapping[str, str]:
        return {path: f"{len(text)}:{hash(text)}" if self.settled else "" for path, text in self.files.items()}

    def read(self, path: str) -> MemoryFile | None:
        text = self.files.get(path)
        if text is None or path in self.vanished:
            return None
        digest = sha256(text.encode()).hexdigest()
        lines = list(enumerate(text.splitlines(), 1))
        return MemoryFile(
            path=path,
            sha256=digest,
            entries=tuple(self._entry(path, number, line, digest) for number, line in lines if "|" in line),
            problems=tuple(Problem(path=path, line=n, reason=f"not an entry: {t}") for n, t in lines if "|" not in t),
        )

    def problems(self) -> Sequence[Problem]:
        return ()

    def create(self, memory: Memory, *, drawn: bool = False) -> Entry:
        raise NotImplementedError

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        raise NotImplementedError

    def remove(self, entry: Entry) -> str:
        raise NotImplementedError

    def _entry(self, path: str, number: int, line: str, digest: str) -> Entry:
        name, status, title, body, supersedes = (*line.split("|"), "", "", "", "")[:5]
        held = memory(
            name, status=Status(status or "accepted"), title=title, body=body, supersedes=tuple(supersedes.split())
        )
        return Entry(memory=held, scope=self.scope, path=path, line=number, sha256=digest)
