"""A vault that keeps nothing: for tests, and for looking without touching."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import count

from holdfast.core.errors import Conflict
from holdfast.core.memory import FOLDERS, Entry, Memory, MemoryFile, Problem, Scope
from holdfast.core.memory_json import to_json
from holdfast.core.value import Value


class RamIdTaken(Conflict):
    """A memory with this id is there already."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"Memory '{memory_id}' is there already.", f"run `holdfast show {memory_id}`.")


class RamMoved(Conflict):
    """The memory is not as it was read."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(
            f"Memory '{memory_id}' changed since it was read.", f"run `holdfast show {memory_id}` and redo the change."
        )


class _Stored(Value):
    """A memory, its text, and the stamp of its last change."""

    memory: Memory
    text: str
    stamp: str

    @property
    def sha256(self) -> str:
        return sha256(self.text.encode()).hexdigest()


class RamVault:
    """Memories in a dictionary, one to a path."""

    def __init__(
        self, scope: Scope = Scope.WORKSPACE, memories: Iterable[Memory] = (), problems: Iterable[Problem] = ()
    ) -> None:
        self._scope = scope
        self._files: dict[str, _Stored] = {}
        self._problems = tuple(problems)
        self._changes = count(1)
        for memory in memories:
            self.create(memory)

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    def stamps(self) -> Mapping[str, str]:
        """Every path with the number of its last change."""
        return {path: stored.stamp for path, stored in self._files.items()}

    def read(self, path: str) -> MemoryFile | None:
        """What is kept at a path."""
        stored = self._files.get(path)
        if stored is None:
            return None
        return MemoryFile(path=path, sha256=stored.sha256, entries=(self._entry(path, stored),))

    def problems(self) -> Sequence[Problem]:
        """What the test said is broken."""
        return self._problems

    def create(self, memory: Memory) -> Entry:
        """Keep a new memory."""
        if any(stored.memory.id == memory.id for stored in self._files.values()):
            raise RamIdTaken(memory.id)
        return self._put(f"{FOLDERS[memory.type]}/{memory.id}.md", memory)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Replace a memory that is still as it was read."""
        self._require_unmoved(entry)
        return self._put(entry.path, memory)

    def remove(self, entry: Entry) -> str:
        """Take a memory out; its text."""
        self._require_unmoved(entry)
        return self._files.pop(entry.path).text

    def _require_unmoved(self, entry: Entry) -> None:
        stored = self._files.get(entry.path)
        if stored is None or stored.sha256 != entry.sha256:
            raise RamMoved(entry.memory.id)

    def _put(self, path: str, memory: Memory) -> Entry:
        text = json.dumps(to_json(memory), indent=2)
        stored = _Stored(memory=memory, text=text, stamp=str(next(self._changes)))
        self._files[path] = stored
        return self._entry(path, stored)

    def _entry(self, path: str, stored: _Stored) -> Entry:
        return Entry(memory=stored.memory, scope=self._scope, path=path, line=1, sha256=stored.sha256)
