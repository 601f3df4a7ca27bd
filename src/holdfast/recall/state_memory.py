"""A memory in one line, as an agent is told it: what holds, what was rejected, and why."""

import re

from holdfast.core.memory import Memory, MemoryType

LONGEST_SAID = 600
LONGEST_REASON = 160
_RATIONALE = re.compile(r"(?:^|\n)\s*(?:Rationale|Because|Reason|Why):\s*(.+?)(?:\n\s*\n|$)", re.DOTALL)


def state_memory(memory: Memory, *, reasons: bool = True) -> str:
    """What a memory says, in one line. Without `reasons`, only what holds and what was rejected."""
    reason = read_reason(memory) if reasons else ""
    because = f" (because {reason})" if reason else ""
    match memory.type:
        case MemoryType.DECISION:
            choice = _state_choice(memory)
            return f"{choice}{_state_rejected(memory, choice, reasons=reasons)}{because}"
        case MemoryType.FAILURE:
            times = f", failed {memory.attempts}×" if memory.attempts else ""
            cause = f": {memory.root_cause}" if memory.root_cause else ""
            return f"{full_title(memory)}{times}{cause}"
        case MemoryType.LEARNING:
            return f"[{memory.category or 'learned'}] {memory.fact or full_title(memory)}{because}"
        case MemoryType.ASSUMPTION:
            return f"{full_title(memory)} (assumption){because}"
        case _:
            return f"{full_title(memory)}{because}"


def full_title(memory: Memory) -> str:
    """The title; where it is the cut beginning of the body, the whole of what it began: half a rule binds wrongly."""
    start = memory.title.removesuffix("…")
    first = " ".join(memory.body.strip().partition("\n\n")[0].split())
    if memory.title.endswith("…") and first.startswith(start.strip()):
        return first if len(first) <= LONGEST_SAID else first[:LONGEST_SAID].rsplit(" ", 1)[0] + "…"
    return memory.title


def read_reason(memory: Memory) -> str:
    """Why it was decided, where the memory says so."""
    found = _RATIONALE.search(memory.body)
    reason = " ".join(found[1].split()).rstrip(". ") if found else ""
    if len(reason) > LONGEST_REASON:
        reason = reason[:LONGEST_REASON].rsplit(" ", 1)[0] + "…"
    return reason.removeprefix("because ").removeprefix("Because ")


def _state_choice(memory: Memory) -> str:
    """The question and the choice; without a question that says more the title, with the choice if it is not in it."""
    title, choice = full_title(memory).rstrip(". "), memory.choice.rstrip(". ")
    if choice and memory.question and not memory.question.startswith(f"{choice} or "):
        return f"{memory.question.rstrip()} {choice}"
    if not choice or choice.casefold() in title.casefold():
        return title
    return f"{title}: {choice}" if title else choice


def _state_rejected(memory: Memory, said_already: str, *, reasons: bool) -> str:
    """The options that were turned down, each with its reason, as far as the title did not say it already."""
    title = said_already.casefold() if said_already == full_title(memory).rstrip(". ") else ""
    said = [
        f"{each.option} ({each.reason.rstrip('. ')})" if reasons and each.reason else each.option
        for each in memory.rejected
        if (reasons and each.reason) or each.option.casefold() not in title
    ]
    return f"; rejected: {', '.join(said)}" if said else ""
