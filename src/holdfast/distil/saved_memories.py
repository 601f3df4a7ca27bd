"""What was handed to a client's own memory in a session: saved by a tool, noted with `#`, given to `/remember`.

Somebody wanted it kept, so it is a candidate, with who kept it. A tool's call is the agent's word. What follows a slash
command may be anybody's: clients do not say who typed it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.memory import DOUBT, Memory, MemoryType, SaidBy
from holdfast.distil.make_candidate import build_candidate, make_title

# Tools of clients' own memories, and the fields in which they take what is to be kept.
_TOOLS: Mapping[str, tuple[str, ...]] = {
    "save_memory": ("fact",),
    "store_memory": ("fact", "content"),
    "update_memory": ("knowledge_to_store", "content"),
    "create_memory": ("content", "Content"),
}
_NOTE = re.compile(r"\s*<user-memory-input>(?P<words>.+?)</user-memory-input>\s*", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*/(?P<name>remember|memory|save-memory)\s*</command-name>", re.IGNORECASE)
_GIVEN = re.compile(r"<command-args>(?P<words>.+?)</command-args>", re.DOTALL)
_RULE = re.compile(r"\b(?:always|never|prefers?|must|do not|don't|avoid|use|keep)\b", re.IGNORECASE)
NOT_SURE = "it followed a slash command, and its client does not say who typed that"
SAVED_BY = "saved_by"
SHORTEST, LONGEST = 8, 600


def find_saved(conversation: Conversation) -> Iterator[Memory]:
    """A candidate for each thing that was handed to a client's own memory."""
    for turn in conversation.turns:
        if turn.agent:
            continue
        if turn.kind is TurnKind.TOOL and not turn.failed:
            yield from _from_tool(turn)
        elif turn.kind is TurnKind.PROMPT:
            yield from _from_prompt(turn)


def _from_tool(turn: Turn) -> Iterator[Memory]:
    for field in _TOOLS.get(turn.tool.lower(), ()):
        words = turn.input.get(field)
        if isinstance(words, str):
            yield from _build(turn, words, SaidBy.AGENT, f"the agent's call of {turn.tool}")
            return


def _from_prompt(turn: Turn) -> Iterator[Memory]:
    note = _NOTE.fullmatch(turn.text[: 4 * LONGEST])
    if note:
        yield from _build(turn, note["words"], SaidBy.AGENT if turn.foreign else SaidBy.USER, "a # note")
        return
    command, given = _COMMAND.search(turn.text[:LONGEST]), _GIVEN.search(turn.text[: 4 * LONGEST])
    if command and given:
        words = re.sub(r"^\s*add\s+", "", given["words"]) if command["name"].lower() == "memory" else given["words"]
        yield from _build(turn, words, SaidBy.AGENT, f"/{command['name'].lower()}", doubt=NOT_SURE)


def _build(turn: Turn, words: str, said_by: SaidBy, saved_by: str, doubt: str = "") -> Iterator[Memory]:
    plain = " ".join(words.split())
    if not SHORTEST <= len(plain) <= LONGEST:
        return
    kind = MemoryType.PATTERN if _RULE.search(plain) else MemoryType.LEARNING
    extra: dict[str, Any] = {SAVED_BY: saved_by} | ({DOUBT: doubt} if doubt else {})
    more = {"fact": plain} if kind is MemoryType.LEARNING else {}
    yield build_candidate(
        kind, turn, plain, title=make_title(plain), body=plain, said_by=said_by, confidence=0.7, extra=extra, **more
    )
