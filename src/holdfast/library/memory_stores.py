"""The stores of a workspace's memory: each loads apart, answers for its own kind, and says what it could not read."""

from collections.abc import Callable, Iterator, Sequence

from holdfast.bootstrap.bootstrap import BootstrapResult
from holdfast.core.memory import Entry, Memory
from holdfast.core.path_scope import applies_to
from holdfast.records.sessions import OpenedSession, SessionSummary

Seek = Callable[[str, int], Sequence[Memory]]


def find_nothing(_: str, __: int) -> Sequence[Memory]:
    """What a store finds that nobody gave a search."""
    return ()


class Store:
    """The accepted memories of one type. A damaged one is empty and says so in `warnings`."""

    def __init__(self, entries: Sequence[Entry] = (), warnings: Sequence[str] = (), seek: Seek = find_nothing) -> None:
        self._entries = {entry.memory.id: entry for entry in entries}
        self._seek = seek
        self.warnings = tuple(warnings)

    def __iter__(self) -> Iterator[Memory]:
        return (entry.memory for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, memory_id: object) -> bool:
        return memory_id in self._entries

    def __getitem__(self, memory_id: str) -> Memory:
        return self._entries[memory_id].memory

    def add(self, entry: Entry) -> None:
        """Take in an entry that was just kept."""
        self._entries[entry.memory.id] = entry

    def get_for_path(self, path: str) -> tuple[Memory, ...]:
        """The memories that hold at a path of the workspace."""
        return tuple(memory for memory in self if applies_to(memory.paths, path))

    def sums(self) -> dict[str, str]:
        """Each memory's id with its file's sha256."""
        return {memory_id: entry.sha256 for memory_id, entry in self._entries.items()}

    def relevant(self, text: str, most: int) -> tuple[Memory, ...]:
        """The memories of this store that fit some words, best first."""
        found = self._seek(text, most * 2) if text.strip() and self._entries else ()
        return tuple(memory for memory in found if memory.id in self)[:most]


class Decisions(Store):
    """What was decided."""

    def find_relevant_decisions(self, goal: str, top_k: int = 5) -> tuple[Memory, ...]:
        """The decisions that matter to a goal."""
        return self.relevant(goal, top_k)


class Failures(Store):
    """What was tried and did not work."""

    def check_similar_failures(self, description: str, top_k: int = 3) -> tuple[Memory, ...]:
        """What failed before that is like this."""
        return self.relevant(description, top_k)


class Patterns(Store):
    """How things are done here."""

    reading: Callable[[], BootstrapResult] | None = None

    def get_for_type(self, mode: str) -> tuple[Memory, ...]:
        """The patterns for a kind of task: those that name it, and those that name none."""
        word = mode.casefold().removesuffix("s")
        return tuple(
            each
            for each in self
            if not each.tags or word in {tag.casefold().removesuffix("s") for tag in (*each.tags, each.category)}
        )

    def bootstrap(self) -> BootstrapResult | None:
        """Read how the code base is written and propose patterns; None where there is no code base to read."""
        return self.reading() if self.reading else None


class Simulacrum(Store):
    """What was learned, and the conversations it came from."""

    listing: Callable[[], list[SessionSummary]] | None = None
    opening: Callable[[str], OpenedSession] | None = None

    @property
    def learnings(self) -> tuple[Memory, ...]:
        """Everything learned that holds."""
        return tuple(self)

    def get_relevant_learnings(self, goal: str, top_k: int = 10) -> tuple[Memory, ...]:
        """What was learned that matters to a goal."""
        return self.relevant(goal, top_k)

    def sessions(self) -> list[SessionSummary]:
        """Every session that was captured."""
        return self.listing() if self.listing else []

    def conversation(self, session: str) -> OpenedSession | None:
        """A session as turns, with what follows what; None where nothing was captured."""
        return self.opening(session) if self.opening else None
