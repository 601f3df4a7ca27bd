"""A vault that loads its parser only when a file must be read or written: a warm search never does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.core.memory import Entry, Memory, MemoryFile, Problem, Scope
from holdfast.vault.file_stamps import read_stamps, stamps_of

if TYPE_CHECKING:
    from holdfast.vault.file_vault import FileVault


class LazyVault:
    """The vault of a folder; its stamps cost no parser."""

    def __init__(
        self, root: str, scope: Scope, *, private: bool = False, note: Callable[[str, str], None] | None = None
    ) -> None:
        self.root = root
        self._scope = scope
        self._private = private
        self._note = note

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    def stamps(self) -> Mapping[str, str]:
        """Every memory file with its stamp."""
        return read_stamps(self.root)

    def stamps_of(self, paths: Iterable[str]) -> Mapping[str, str]:
        """Some memory files with their stamps; those that are gone are left out."""
        return stamps_of(self.root, paths)

    def read(self, path: str) -> MemoryFile | None:
        """One file, parsed."""
        return self._files.read(path)

    def problems(self) -> Sequence[Problem]:
        """What cannot be a memory file."""
        return self._files.problems()

    def create(self, memory: Memory, *, drawn: bool = False) -> Entry:
        """A new file with this memory."""
        return self._files.create(memory, drawn=drawn)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change what differs."""
        return self._files.rewrite(entry, memory)

    def remove(self, entry: Entry) -> str:
        """Take the entry out."""
        return self._files.remove(entry)

    @cached_property
    def _files(self) -> "FileVault":
        from holdfast.vault.file_vault import FileVault

        return FileVault(self.root, self._scope, private=self._private, note=self._note)
