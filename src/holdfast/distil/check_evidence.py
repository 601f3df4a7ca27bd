"""Evidence that holds: a candidate's quotes must stand in the turns that it names."""

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.conversation import Conversation, Turn
from holdfast.core.distilled import Distilled
from holdfast.core.memory import Memory, SaidBy, Status
from holdfast.core.value import replace
from holdfast.distil.make_candidate import strip_controls
from holdfast.distil.user_words import is_prompt, own_sentences

# Shorter words stand in many a turn by chance, and prove nothing.
LEAST_QUOTE = 9


def drop_unproven(distilled: Distilled, conversation: Conversation) -> Distilled:
    """What was distilled without the candidates whose evidence does not stand in the conversation."""
    turns = {turn.id: turn for turn in conversation.turns}
    return replace(distilled, candidates=tuple(one for one in distilled.candidates if has_proof(one, turns)))


def has_proof(memory: Memory, turns: Mapping[str, Turn]) -> bool:
    """Whether a candidate has evidence and all of it stands where it says; the user's words in a person's own turn."""
    longest = max((len(_normalize_space(one.quote)) for one in memory.evidence), default=0)
    if memory.status is not Status.CANDIDATE or longest < LEAST_QUOTE:
        return False
    if not all(one.event in turns and _quote_stands_in(one.quote, turns[one.event]) for one in memory.evidence):
        return False
    return memory.said_by is not SaidBy.USER or any(
        is_own_quote(one.quote, turns[one.event]) for one in memory.evidence
    )


def _quote_stands_in(quote: str, turn: Turn) -> bool:
    wanted = _normalize_space(quote)
    return not wanted or any(wanted in _normalize_space(text) for text in _texts(turn))


def is_own_quote(quote: str, turn: Turn) -> bool:
    """Whether a quote stands in words that a person typed, or is what they chose in a form."""
    wanted = _normalize_space(quote)
    if not turn.agent and any(wanted == _normalize_space(each.choice) for each in turn.choices):
        return True
    return is_prompt(turn) and bool(wanted) and wanted in _normalize_space(" ".join(own_sentences(turn)))


def _texts(turn: Turn) -> Iterable[str]:
    yield turn.text
    yield turn.output
    yield turn.refusal
    yield from (each.choice for each in turn.choices)
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


def _normalize_space(text: str) -> str:
    return " ".join(strip_controls(text).split())
