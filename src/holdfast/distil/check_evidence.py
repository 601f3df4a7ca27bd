"""Evidence that holds: a candidate's quotes must stand in the turns that it names."""

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.distilled import Distilled
from holdfast.core.memory import Memory, SaidBy, Status
from holdfast.core.value import replace
from holdfast.distil.make_candidate import plain
from holdfast.distil.user_words import own_sentences

# Shorter words stand in many a turn by chance, and prove nothing.
LEAST_QUOTE = 9


def checked(distilled: Distilled, conversation: Conversation) -> Distilled:
    """What was distilled without the candidates whose evidence does not stand in the conversation."""
    turns = {turn.id: turn for turn in conversation.turns}
    return replace(distilled, candidates=tuple(one for one in distilled.candidates if is_borne_out(one, turns)))


def is_borne_out(memory: Memory, turns: Mapping[str, Turn]) -> bool:
    """Whether a candidate has evidence and all of it stands where it says; the user's words in a person's own turn."""
    longest = max((len(_flat(one.quote)) for one in memory.evidence), default=0)
    if memory.status is not Status.CANDIDATE or longest < LEAST_QUOTE:
        return False
    if not all(one.event in turns and _stands(one.quote, turns[one.event]) for one in memory.evidence):
        return False
    return memory.said_by is not SaidBy.USER or any(_own(one.quote, turns[one.event]) for one in memory.evidence)


def _stands(quote: str, turn: Turn) -> bool:
    wanted = _flat(quote)
    return not wanted or any(wanted in _flat(text) for text in _texts(turn))


def _own(quote: str, turn: Turn) -> bool:
    """Whether a quote stands in words that a person typed."""
    return turn.kind is TurnKind.PROMPT and bool(quote.strip()) and _flat(quote) in _flat(" ".join(own_sentences(turn)))


def _texts(turn: Turn) -> Iterable[str]:
    yield turn.text
    yield turn.output
    yield from _strings(turn.input)


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        yield " ".join(one for one in value if isinstance(one, str))
        for one in value:
            yield from _strings(one)


def _flat(text: str) -> str:
    return " ".join(plain(text).split())
