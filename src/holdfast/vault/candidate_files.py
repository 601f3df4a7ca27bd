"""Candidates on disk: files like a vault's, flat in one private folder."""

from collections.abc import Callable, Iterator, Sequence

from holdfast.core.file_names import ID, file_name
from holdfast.core.memory import Entry, Memory, MemoryFile, Scope
from holdfast.vault.file_vault import FileVault


class FileCandidates:
    """Proposed memories in a folder that only the user may read."""

    def __init__(
        self, folder: str, scope: Scope = Scope.WORKSPACE, *, note: Callable[[str, str], None] | None = None
    ) -> None:
        self._files = FileVault(folder, scope, private=True, note=note)

    def add(self, memory: Memory) -> Entry:
        """Keep a candidate; durable on return. Raises IdTaken when the id has a file."""
        return self._files.create_at(file_name(memory.id), memory)

    def all(self) -> Sequence[Entry]:
        """Waiting and rejected ones, by id."""
        found = (entry for file in self._all_files() for entry in file.entries)
        return sorted(found, key=lambda entry: entry.memory.id)

    def find(self, candidate_id: str) -> Entry | None:
        """One candidate, or None."""
        if not ID.fullmatch(candidate_id):
            return None
        usual = self._files.read(file_name(candidate_id))
        near = usual.entries if usual else ()
        return next((entry for entry in (*near, *self.all()) if entry.memory.id == candidate_id), None)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change a candidate. Raises Conflict if it moved."""
        return self._files.rewrite(entry, memory)

    def remove(self, entry: Entry) -> str:
        """Take a candidate away; its text."""
        return self._files.remove(entry)

    def _all_files(self) -> Iterator[MemoryFile]:
        for path in sorted(self._files.stamps()):
            if (file := self._files.read(path)) is not None:
                yield file
