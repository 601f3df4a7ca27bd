"""The files that hold memories."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from holdfast.core.errors import Conflict
from holdfast.core.memory import Entry, Memory, MemoryFile, Problem, Scope


class MemoryMoved(Conflict):
    """Somebody changed the file of a memory after it was read."""

    def __init__(self, memory_id: str, then: str, now: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' changed on disk since it was read (sha256 {then[:2]}… then, {now[:2]}… now).",
            f"run `holdfast show {memory_id}` and redo the change.",
        )


class MemoryFileMissing(Conflict):
    """Somebody removed or renamed the file of a memory after it was read."""

    def __init__(self, memory_id: str, path: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' is no longer in '{path}': the file was removed or renamed since it was read.",
            f"run `holdfast show {memory_id}` and redo the change.",
        )


class IdTaken(Conflict):
    """A memory with this id has a file already."""

    def __init__(self, memory_id: str, path: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' is in '{path}' already.", f"run `holdfast show {memory_id}`, or take another id."
        )


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

    def create(self, memory: Memory, *, drawn: bool = False) -> Entry:
        """A new file with this memory; durable on return. Never replaces: raises Conflict when the id has one.

        `drawn`: the id was drawn at random, and the index knows of none like it. The files' names are not gone through.
        """

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change what differs between the entry and the memory, in place. Raises Conflict if the file moved."""

    def remove(self, entry: Entry) -> str:
        """Take the entry out, and its file if it was the last; its text. Raises Conflict if the file moved."""


class Texts(Protocol):
    """How a memory is written down: the text of a file, changed in place so that every other byte stays."""

    def new(self, memory: Memory) -> bytes:
        """The text of a new file with this memory."""

    def changed(self, data: bytes, line: int, memory: Memory) -> bytes:
        """A file's text with the entry that opens on a line changed to this memory."""

    def without(self, data: bytes, line: int) -> tuple[bytes | None, str]:
        """A file's text without the entry that opens on a line (None: nothing is left), and the entry's own."""

    def read(self, data: bytes, path: str, scope: Scope) -> MemoryFile:
        """A file, parsed; what does not parse is among its problems."""

    def name(self, memory_id: str, title: str = "") -> str:
        """What a file with this memory is called."""
