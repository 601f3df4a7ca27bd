"""Hits → pack: what an agent should know before it acts, sorted as it must use it and cut to a budget."""

from collections.abc import Iterator, Sequence

from holdfast.domain.memory import Entry, Memory, MemoryType, Status
from holdfast.domain.value import Value, as_dict

CHARACTERS_PER_TOKEN = 4
MOST = {MemoryType.INVARIANT: 20, MemoryType.DECISION: 5, MemoryType.FAILURE: 3, MemoryType.LEARNING: 10}
MOST_OF_OTHERS = 5
HEADINGS = (
    ("constraints", "⛔ CONSTRAINTS (DO NOT violate)"),
    ("dead_ends", "⚠️ KNOWN DEAD ENDS (DO NOT repeat)"),
    ("team_decisions", "✓ TEAM STANDARDS"),
    ("facts", "KNOWN FACTS"),
    ("learnings", "LEARNINGS"),
    ("patterns", "PATTERNS"),
)


class Item(Value):
    """One line of a pack: which memory it is from, what it says, and why it is here."""

    id: str
    text: str
    why: str = ""
    unconfirmed: bool = False


class Pack(Value):
    """What holds for a goal, by the use an agent has for it."""

    constraints: tuple[Item, ...] = ()
    dead_ends: tuple[Item, ...] = ()
    team_decisions: tuple[Item, ...] = ()
    facts: tuple[Item, ...] = ()
    learnings: tuple[Item, ...] = ()
    patterns: tuple[Item, ...] = ()
    tokens: int = 0
    dropped: int = 0

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not any(getattr(self, name) for name, _ in HEADINGS)

    def ids(self) -> tuple[str, ...]:
        """The memories it draws on, each once."""
        return tuple(dict.fromkeys(item.id for name, _ in HEADINGS for item in getattr(self, name)))

    def to_prompt(self) -> str:
        """The pack as an agent reads it."""
        shelves = [(heading, getattr(self, name)) for name, heading in HEADINGS]
        return "\n\n".join("\n".join([heading, *map(line_of, items)]) for heading, items in shelves if items)


def packed(found: Sequence[tuple[Entry, str]], budget: int) -> Pack:
    """A pack of entries, best first, each with why it is here; beyond the budget (in tokens) they are dropped."""
    shelves: dict[str, list[Item]] = {name: [] for name, _ in HEADINGS}
    room, dropped = budget * CHARACTERS_PER_TOKEN, 0
    seen: set[str] = set()
    for entry, why in _few_of_each(found):
        items = [(shelf, item) for shelf, item in items_of(entry.memory, why) if item.text not in seen]
        cost = sum(len(line_of(item)) + 1 for _, item in items)
        if cost > room:
            dropped += 1
            continue
        room -= cost
        for shelf, item in items:
            shelves[shelf].append(item)
            seen.add(item.text)
    used = budget * CHARACTERS_PER_TOKEN - room
    lists = {name: tuple(items) for name, items in shelves.items()}
    return Pack(tokens=-(-used // CHARACTERS_PER_TOKEN), dropped=dropped, **lists)


def items_of(memory: Memory, why: str = "") -> Iterator[tuple[str, Item]]:
    """The lines a memory gives, with the shelf each belongs on."""
    unconfirmed = memory.status is Status.CANDIDATE

    def item(text: str) -> Item:
        return Item(id=memory.id, text=" ".join(text.split()), why=why, unconfirmed=unconfirmed)

    match memory.type:
        case MemoryType.DECISION:
            for option in memory.rejected:
                yield "constraints", item(option.option + (f": {option.reason}" if option.reason else " was rejected"))
            answered = memory.question and memory.choice
            yield "facts", item(f"{memory.question} {memory.choice}" if answered else memory.title)
        case MemoryType.INVARIANT:
            yield "constraints", item(memory.title)
        case MemoryType.FAILURE:
            times = f", failed {memory.attempts}×" if memory.attempts else ""
            yield "dead_ends", item(f"{memory.title}{times}" + (f": {memory.root_cause}" if memory.root_cause else ""))
        case MemoryType.LEARNING:
            yield "learnings", item(f"[{memory.category or 'learned'}] {memory.fact or memory.title}")
        case MemoryType.ASSUMPTION:
            yield "facts", item(f"{memory.title} (assumption)")
        case MemoryType.PATTERN:
            yield "patterns", item(memory.title)


def line_of(item: Item) -> str:
    """An item as one line of a prompt."""
    return f"- {item.text}{' (unconfirmed)' if item.unconfirmed else ''} [{item.id}]"


def pack_json(pack: Pack) -> dict[str, object]:
    """A pack as JSON, with its prompt."""
    lists = {name: [as_dict(item) for item in getattr(pack, name)] for name, _ in HEADINGS}
    return {**lists, "tokens": pack.tokens, "dropped": pack.dropped, "prompt": pack.to_prompt()}


def _few_of_each(found: Sequence[tuple[Entry, str]]) -> Iterator[tuple[Entry, str]]:
    left = {kind: MOST.get(kind, MOST_OF_OTHERS) for kind in MemoryType}
    for entry, why in found:
        if left[entry.memory.type] > 0:
            left[entry.memory.type] -= 1
            yield entry, why
