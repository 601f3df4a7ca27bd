"""Candidates that nobody keeps: for tests."""

from collections.abc import Iterable, Sequence

from holdfast.core.memory import Entry, Memory, Problem, Scope
from holdfast.index.ram.vault import RamVault


class RamCandidates:
    """Proposed memories in a dictionary."""

    def __init__(
        self, memories: Iterable[Memory] = (), scope: Scope = Scope.WORKSPACE, problems: Iterable[Problem] = ()
    ) -> None:
        self._vault = RamVault(scope, memories, problems)

    def add(self, memory: Memory) -> Entry:
        """Keep a candidate."""
        return self._vault.create(memory)

    def all(self) -> Sequence[Entry]:
        """Waiting and rejected ones, by id."""
        files = [file for path in self._vault.stamps() if (file := self._vault.read(path))]
        return sorted((entry for file in files for entry in file.entries), key=lambda entry: entry.memory.id)

    def find(self, candidate_id: str) -> Entry | None:
        """One candidate, or None."""
        return next((entry for entry in self.all() if entry.memory.id == candidate_id), None)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change a candidate that is still as it was read."""
        return self._vault.rewrite(entry, memory)

    def remove(self, entry: Entry) -> str:
        """Take a candidate away; its text."""
        return self._vault.remove(entry)

    def problems(self) -> Sequence[Problem]:
        """What the test said is broken."""
        return self._vault.problems()
