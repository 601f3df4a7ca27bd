"""A vault on disk: the port's words, over files people own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256

from holdfast.core.errors import Unavailable
from holdfast.core.file_names import file_name, file_stem, may_be_named_for
from holdfast.core.memory import FOLDERS, Entry, Memory, MemoryFile, Problem, Scope
from holdfast.core.vault_store import IdTaken, MemoryFileMissing, MemoryMoved
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import (
    FileChangedSinceRead,
    create_file,
    lock_folder,
    read_file,
    remove_file,
    replace_file,
)
from holdfast.vault.edit_entry import remove_entry, render_new_file, replace_entry
from holdfast.vault.file_stamps import find_oddities, list_paths_named, read_stamps
from holdfast.vault.parse_memory import parse

__all__ = ["FileVault", "IdTaken", "MemoryFileMissing", "MemoryMoved"]


class FileVault:
    """Memories as Markdown files below a root. `private`: files that only the user may read.

    `note` is told the sum of each file before it is written, and the one that it had: so its owner knows it again.
    """

    def __init__(
        self, root: str, scope: Scope, *, private: bool = False, note: Callable[[str, str], None] | None = None
    ) -> None:
        self._place = WritableFolder(root=root, private=private)
        self._scope = scope
        self._note = note

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    @property
    def root(self) -> str:
        """The folder that paths of this vault start from."""
        return self._place.root

    def stamps(self) -> Mapping[str, str]:
        """Every memory file with a stamp that moves when it does; empty when it may move unseen."""
        return read_stamps(self._place.root)

    def read(self, path: str) -> MemoryFile | None:
        """One file, parsed; what cannot be read is among its problems. None when it is gone."""
        try:
            data = read_file(self._place, path)
        except Unavailable as error:
            return MemoryFile(path=path, sha256="", problems=(Problem(path=path, reason=str(error), hint=error.hint),))
        return None if data is None else parse(data, path=path, scope=self._scope)

    def problems(self) -> Sequence[Problem]:
        """What stands in the vault and cannot be a memory file."""
        return find_oddities(self._place.root)

    def create(self, memory: Memory, *, drawn: bool = False) -> Entry:
        """A new file in the folder of the memory's type."""
        return self.create_at(f"{FOLDERS[memory.type]}/{file_name(memory.id, memory.title)}", memory, drawn=drawn)

    def create_at(self, path: str, memory: Memory, *, drawn: bool = False) -> Entry:
        """A new file at a path; durable on return. Raises IdTaken when the id has one."""
        data = render_new_file(memory).encode()
        with lock_folder(self._place):
            if not drawn and (taken := self._file_of(memory.id)):
                raise IdTaken(memory.id, taken)
            self._note_file(data, "")
            create_file(self._place, path, data)
        return self._entry(memory, path, 1, data)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change what differs, in place. Raises MemoryMoved or MemoryFileMissing if the file is not as it was read."""
        with self._unmoved(entry) as text:
            data = replace_entry(text, entry.line, memory).encode()
            self._note_file(data, entry.sha256)
            replace_file(self._place, entry.path, data, then=entry.sha256)
        return self._entry(memory, entry.path, entry.line, data)

    def remove(self, entry: Entry) -> str:
        """Take the entry out, and its file if nothing else is in it; its text."""
        with self._unmoved(entry) as text:
            rest, removed = remove_entry(text, entry.line)
            if rest.strip("\ufeff \t\r\n"):
                self._note_file(rest.encode(), entry.sha256)
                replace_file(self._place, entry.path, rest.encode(), then=entry.sha256)
            else:
                remove_file(self._place, entry.path, then=entry.sha256)
        return removed

    def _note_file(self, data: bytes, before: str) -> None:
        if self._note:
            self._note(sha256(data).hexdigest(), before)

    @contextmanager
    def _unmoved(self, entry: Entry) -> Iterator[str]:
        name = entry.memory.id
        with lock_folder(self._place):
            data = read_file(self._place, entry.path)
            if data is None:
                raise MemoryFileMissing(name, entry.path)
            if (now := sha256(data).hexdigest()) != entry.sha256:
                raise MemoryMoved(name, entry.sha256, now)
            try:
                yield data.decode()
            except FileChangedSinceRead as moved:
                raise MemoryMoved(name, moved.then, moved.now) from None

    def _file_of(self, memory_id: str) -> str | None:
        """The file that holds an id, as far as names tell: reading every file would cost seconds."""
        for path in list_paths_named(self._place.root, file_stem(memory_id)):
            if may_be_named_for(path.rpartition("/")[2], memory_id) and self._holds(path, memory_id):
                return path
        return None

    def _holds(self, path: str, memory_id: str) -> bool:
        file = self.read(path)
        return file is not None and (not file.entries or any(entry.memory.id == memory_id for entry in file.entries))

    def _entry(self, memory: Memory, path: str, line: int, data: bytes) -> Entry:
        return Entry(memory=memory, scope=self._scope, path=path, line=line, sha256=sha256(data).hexdigest())
