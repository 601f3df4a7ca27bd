"""Hits → pack: what an agent should know before it acts, sorted as it must use it and cut to a budget."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from holdfast.core.memory import Entry, Memory, MemoryType, Scope, Status
from holdfast.core.value import Value, as_dict
from holdfast.recall.diversity import Alike, Found, pick_varied, word_likeness
from holdfast.recall.state_memory import state_memory

CHARACTERS_PER_TOKEN = 4
PLACES = {
    MemoryType.INVARIANT: 20,
    MemoryType.DECISION: 5,
    MemoryType.FAILURE: 3,
    MemoryType.LEARNING: 10,
    MemoryType.ASSUMPTION: 5,
    MemoryType.PATTERN: 5,
}
AUTHOR = "author"
LONGEST_AUTHOR = 60
PATHS_MOST = 3
FOR_TASKS = (MemoryType.INVARIANT, MemoryType.DECISION, MemoryType.FAILURE, MemoryType.PATTERN)
SHELVES = ("constraints", "dead_ends", "team_decisions", "facts", "learnings", "patterns")
HEADINGS = (
    ("constraints", "⛔ CONSTRAINTS (DO NOT violate)"),
    ("dead_ends", "⚠️ KNOWN DEAD ENDS (DO NOT repeat)"),
    ("team_decisions", "✓ TEAM STANDARDS"),
    ("facts", "KNOWN FACTS"),
    ("learnings", "LEARNINGS"),
    ("patterns", "PATTERNS"),
)
UNCONFIRMED = "UNCONFIRMED (the user said this; nobody has accepted it)"
TASK_HEADINGS = (
    ("constraints", "CONSTRAINTS for this task"),
    ("dead_ends", "HAZARDS (past failures with similar tasks)"),
    ("patterns", "PATTERNS to follow"),
)

SHELF_OF = {
    MemoryType.DECISION: "facts",
    MemoryType.INVARIANT: "constraints",
    MemoryType.FAILURE: "dead_ends",
    MemoryType.LEARNING: "learnings",
    MemoryType.ASSUMPTION: "facts",
    MemoryType.PATTERN: "patterns",
}
# What became of the code that an entry cites, in words; none where it stands.
Stale = Callable[[Entry], str]


class PackLine(Value):
    """One line of a pack: which memory it is from, what it says, and why it is here. `drift`: why it is stale."""

    id: str
    text: str
    why: str = ""
    stale: bool = False
    unconfirmed: bool = False
    drift: str = ""
    # A line of the same memory says this too: programs read it, agents need not.
    repeats: bool = False


class MemoryPack(Value):
    """What holds for a goal, or for a task, by the use an agent has for it. A task's hazards are its dead ends.

    `held_back`: how many memories matter to it and reach no agent, since the user has not allowed them.
    """

    constraints: tuple[PackLine, ...] = ()
    dead_ends: tuple[PackLine, ...] = ()
    team_decisions: tuple[PackLine, ...] = ()
    facts: tuple[PackLine, ...] = ()
    learnings: tuple[PackLine, ...] = ()
    patterns: tuple[PackLine, ...] = ()
    dropped: int = 0
    for_task: bool = False
    held_back: int = 0

    @property
    def tokens(self) -> int:
        """About how many tokens an agent reads."""
        return -(-len(self.to_prompt()) // CHARACTERS_PER_TOKEN)

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not any(getattr(self, name) for name in SHELVES)

    def ids(self) -> tuple[str, ...]:
        """The memories it draws on, each once."""
        return tuple(dict.fromkeys(item.id for name in SHELVES for item in getattr(self, name)))

    def to_prompt(self) -> str:
        """The pack as an agent reads it. What nobody accepted binds nobody: it stands apart, at the end."""
        headings = TASK_HEADINGS if self.for_task else HEADINGS
        shelves = [(heading, self._lines(name)) for name, heading in headings]
        waiting = [item for name, _ in headings for item in self._lines(name, unconfirmed=True)]
        parts = [*shelves, (UNCONFIRMED, waiting)]
        return "\n\n".join("\n".join([heading, *map(line_of, items)]) for heading, items in parts if items)

    def _lines(self, name: str, *, unconfirmed: bool = False) -> list[PackLine]:
        return [item for item in getattr(self, name) if item.unconfirmed == unconfirmed and not item.repeats]


def never_stale(_: Entry) -> str:
    """What is stale where nobody looks."""
    return ""


def build_pack(
    found: Sequence[Found],
    budget: int,
    *,
    alike: Alike = word_likeness,
    stale: Stale = never_stale,
    sender: Stale = never_stale,
    for_task: bool = False,
    places: Mapping[MemoryType, int] = PLACES,
) -> MemoryPack:
    """A pack of entries, best first, each with why it is here, within a budget of tokens.

    `sender`: who sent it, where it is another person's. `dropped` counts those for which there was no room: no place
    for more of their type, or no tokens left.
    """
    meant = [pair for pair in found if not for_task or pair[0].memory.type in FOR_TASKS]
    # What the team agreed on comes first; the rest keeps its order.
    meant.sort(key=lambda pair: pair[0].scope is not Scope.TEAM)
    chosen, dropped = pick_varied(meant, places, alike)
    shelves = _Shelves(budget, for_task=for_task)
    for entry, why in chosen:
        items = items_of(entry.memory, why, stale=stale(entry), team=entry.scope is Scope.TEAM, sender=sender(entry))
        dropped += not shelves.put([(_shelf(name, for_task=for_task), item) for name, item in items])
    lists = {name: tuple(items) for name, items in shelves.items.items()}
    return MemoryPack(dropped=dropped, for_task=for_task, held_back=0, **lists)


def build_digest(
    found: Sequence[Found], budget: int, *, stale: Stale = never_stale, sender: Stale = never_stale
) -> MemoryPack:
    """Entries in the order of their importance, as many as there is room for; without reasons where that helps.

    `dropped` counts the others.
    """
    shelves, dropped = _Shelves(budget, for_task=False), 0
    for reasons in (True, False):
        shelves, dropped = _Shelves(budget, for_task=False), 0
        for entry, why in found:
            team = entry.scope is Scope.TEAM
            items = items_of(
                entry.memory, why, stale=stale(entry), team=team, sender=sender(entry), reasons=reasons,
                where=_where(entry.memory),
            )  # fmt: skip
            dropped += not shelves.put(list(items))
        if not dropped:
            break
    lists = {name: tuple(items) for name, items in shelves.items.items()}
    return MemoryPack(dropped=dropped, for_task=False, held_back=0, **lists)


def items_of(
    memory: Memory,
    why: str = "",
    *,
    stale: str = "",
    team: bool = False,
    sender: str = "",
    reasons: bool = True,
    where: str = "",
) -> Iterator[tuple[str, PackLine]]:
    """The lines a memory gives, with the shelf each belongs on. The team's and other people's name their author."""
    unconfirmed = memory.status is Status.CANDIDATE
    author = str(memory.extra.get(AUTHOR, "")).strip()[:LONGEST_AUTHOR]
    sent = f" (from {sender})" if sender else ""
    signed = f" ({author}, for the team)" if team and author else sent

    def item(text: str, *, repeats: bool = False) -> PackLine:
        words = " ".join(f"{text}{signed}".split())
        return PackLine(
            id=memory.id, text=words, why=why, stale=bool(stale), unconfirmed=unconfirmed, drift=stale, repeats=repeats
        )

    if memory.type is MemoryType.DECISION:
        for option in memory.rejected:
            reason = f": {option.reason}" if option.reason else ""
            yield "constraints", item(f"{option.option} was rejected{reason}", repeats=True)
    shelf = SHELF_OF[memory.type]
    yield (
        "team_decisions" if team and memory.type is MemoryType.DECISION else shelf,
        item(state_memory(memory, reasons=reasons) + where),
    )


def _where(memory: Memory) -> str:
    """Where it holds, if not everywhere."""
    return f" (in {', '.join(memory.paths[:PATHS_MOST])})" if memory.paths else ""


def item_text(item: PackLine) -> str:
    """What an item says, with what must be known of it."""
    drift = f" ({item.drift or 'stale'})" if item.stale else ""
    return item.text + drift + (" (unconfirmed)" if item.unconfirmed else "")


def line_of(item: PackLine) -> str:
    """An item as one line of a prompt."""
    return f"- {item_text(item)} [{item.id}]"


def pack_to_json(pack: MemoryPack) -> dict[str, object]:
    """A pack as JSON, with its prompt."""
    lists = {name: [as_dict(item) for item in getattr(pack, name)] for name in SHELVES}
    return {**lists, "tokens": pack.tokens, "dropped": pack.dropped, "prompt": pack.to_prompt()}


class _Shelves:
    """Items on their shelves, as many as a budget has room for; headings take room too."""

    def __init__(self, budget: int, *, for_task: bool) -> None:
        self.items: dict[str, list[PackLine]] = {name: [] for name in SHELVES}
        self._headings = dict(TASK_HEADINGS if for_task else HEADINGS)
        self._room = budget * CHARACTERS_PER_TOKEN
        self._said: set[tuple[str, str]] = set()
        self._opened: set[str] = set()

    def put(self, items: Sequence[tuple[str, PackLine]]) -> bool:
        """Put all lines of a memory up, or none: whether there was room. The same words stand on a shelf once."""
        new = {(shelf, item.text): (shelf, item) for shelf, item in items if (shelf, item.text) not in self._said}
        shown = [(UNCONFIRMED if item.unconfirmed else self._headings[shelf], item) for shelf, item in new.values()]
        shown = [(heading, item) for heading, item in shown if not item.repeats]
        opened = {heading for heading, _ in shown} - self._opened
        cost = sum(len(line_of(item)) + 1 for _, item in shown) + sum(len(each) + len("\n\n") for each in opened)
        if cost > self._room:
            return False
        self._room -= cost
        self._opened |= opened
        for shelf, item in new.values():
            self.items[shelf].append(item)
        self._said.update(new)
        return True


def _shelf(name: str, *, for_task: bool) -> str:
    """A task has no shelf of facts: what was decided binds it."""
    return "constraints" if for_task and name in ("facts", "team_decisions") else name
