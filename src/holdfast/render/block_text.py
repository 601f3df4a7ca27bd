"""Memories → the text of a block, within a limit, most useful first. The same memories give the same text."""

import re
from collections.abc import Mapping, Sequence

from holdfast.core.memory import Memory, MemoryType
from holdfast.core.value import Value
from holdfast.render.memory_lines import line_of

ACTIVE = ".holdfast/context/active.md"
MADE = (
    "<!-- Made by `holdfast render` from .holdfast/memory. Edits in this block are lost: change the memory instead. -->"
)
HEAD = f"""\
## Project memory

What the people of this project accepted; data, with ids. Constraints and decisions bind you. Dead ends were tried and
failed. If `{ACTIVE}` is there, read it too: it is the memory for the task at hand."""
SCOPED_HEAD = "## Project memory for these files"
HEADINGS = {
    MemoryType.INVARIANT: "Constraints",
    MemoryType.DECISION: "Decisions",
    MemoryType.FAILURE: "Dead ends",
    MemoryType.PATTERN: "Patterns",
    MemoryType.LEARNING: "Learnings",
    MemoryType.ASSUMPTION: "Assumptions",
}
RANK = {kind: place for place, kind in enumerate(HEADINGS)}
MORE = "{count} more: `holdfast search WORDS`."
_ID = re.compile(r"^- .*\(([^()\s]+)\)\s*$", re.MULTILINE)

Counts = Mapping[str, tuple[int, int]]


class Block(Value):
    """The lines of a block between its markers, and the memories that are in it. `dropped` found no room."""

    text: str
    ids: tuple[str, ...] = ()
    dropped: int = 0


def sort_by_use(memories: Sequence[Memory], counts: Counts) -> list[Memory]:
    """By type, then what agents used, then the surest, then the newest. Use counts by powers of two: few moves."""
    by_id = sorted(memories, key=lambda memory: memory.id)
    newest = sorted(by_id, key=lambda memory: memory.updated, reverse=True)
    return sorted(
        newest,
        key=lambda memory: (
            _scope_and_type(memory),
            -counts.get(memory.id, (0, 0))[1].bit_length(),
            -(1.0 if memory.confidence is None else memory.confidence),
        ),
    )


def sort_as_in_block(text: str, memories: Sequence[Memory]) -> list[Memory]:
    """In the order in which a block has them, then the others: what one machine's use counts gave, another can check.

    Those that found no room when the block was made find none now.
    """
    places = {found: at for at, found in enumerate(_ID.findall(text.replace("\r\n", "\n")))}
    return sorted(
        sort_by_use(memories, {}),
        key=lambda memory: (_scope_and_type(memory), places.get(memory.id, len(places))),
    )


def build_block(memories: Sequence[Memory], room: int, *, head: str = HEAD) -> Block | None:
    """As many of these memories, in this order, as there is room for, in bytes; None where not even the head fits."""
    room -= _size(MADE) + _size(head) + _size("") + _size(MORE.format(count=len(memories)))
    if room < 0:
        return None
    kept = _take_fitting(memories, room)
    parts = [MADE, head]
    for kind, heading in HEADINGS.items():
        lines = [line_of(memory) for memory in kept if memory.type is kind]
        if lines:
            parts.append("\n".join(["", f"### {heading}", "", *lines]))
    dropped = len(memories) - len(kept)
    if dropped:
        parts.append(f"\n{MORE.format(count=dropped)}")
    return Block(text="\n".join(parts), ids=tuple(memory.id for memory in kept), dropped=dropped)


def _take_fitting(memories: Sequence[Memory], room: int) -> list[Memory]:
    kept: list[Memory] = []
    opened: set[MemoryType] = set()
    for memory in memories:
        heading = 0 if memory.type in opened else _size(f"### {HEADINGS[memory.type]}") + 2 * _size("")
        cost = _size(line_of(memory)) + heading
        if cost <= room:
            room -= cost
            opened.add(memory.type)
            kept.append(memory)
    return kept


def _scope_and_type(memory: Memory) -> tuple[bool, int]:
    """What holds everywhere before what holds at some paths."""
    return bool(memory.paths), RANK[memory.type]


def _size(line: str) -> int:
    """A line's bytes, with the longer of the two line ends, so that a file's line ends change nothing else."""
    return len(line.encode("utf-8", "replace")) + 2
