"""The files that hold memories."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from holdfast.domain.memory import Entry, Memory, MemoryFile, Problem, Scope


class Vault(Protocol):
    """Memories as files people own. Every byte we do not change survives."""

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""

    def stamps(self) -> Mapping[str, str]:
        """Every memory file, by its path in the vault, with a stamp that moves when the file does. Cheap.

        A file changed so lately that its stamp could miss the next change has an empty one.
        """

    def read(self, path: str) -> MemoryFile | None:
        """One file, parsed; what does not parse is among its problems. None when it is gone."""

    def problems(self) -> Sequence[Problem]:
        """What stands in the vault and cannot be a memory file: links, unreadable folders."""

    def create(self, memory: Memory) -> Entry:
        """A new file with this memory; durable on return. Never replaces: raises Conflict when the id has one."""

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change what differs between the entry and the memory, in place. Raises Conflict if the file moved."""

    def remove(self, entry: Entry) -> str:
        """Take the entry out, and its file if it was the last; its text. Raises Conflict if the file moved."""
