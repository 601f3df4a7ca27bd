"""A user's own words: what a person typed in the main thread, without what was pasted, quoted or put there by tools.

Whatever is doubtful is left out: words of others that passed for the user's would be remembered as the user's will.
"""

from functools import cache

from holdfast.core.conversation import Turn, TurnKind
from holdfast.core.value import Value
from holdfast.distil.lasting_phrases import PATTERNS
from holdfast.distil.make_candidate import strip_controls
from holdfast.phrases.triggers import Trigger, TriggerReader, load_reader, read_with_readers
from holdfast.phrases.typed_words import typed_sentences, typed_words


class UserSentence(Value):
    """A sentence of the user's own: its turn, the sentence after it, and what the patterns see in it."""

    turn: Turn
    text: str
    after: str = ""
    triggers: tuple[Trigger, ...] = ()


def is_prompt(turn: Turn) -> bool:
    """Whether a turn is a message of the person: a subagent's prompts are the agent's, a foreign turn a tool's.

    What they typed to refuse a call is one too.
    """
    return (turn.kind is TurnKind.PROMPT or bool(turn.refusal)) and not turn.foreign and not turn.agent


def typed_text(turn: Turn) -> str:
    """What a person typed in a turn of theirs, with all that they pasted into it."""
    return turn.refusal or turn.text


def own_words(turn: Turn) -> str:
    """What the person typed in a turn, as far as that is certain."""
    return typed_words(strip_controls(typed_text(turn))) if is_prompt(turn) else ""


def own_sentences(turn: Turn) -> list[str]:
    """The sentences of a turn that are the user's own."""
    return typed_sentences(strip_controls(typed_text(turn))) if is_prompt(turn) else []


def user_sentences(turn: Turn) -> list[UserSentence]:
    """The sentences of a turn that are the user's own, each with what the patterns see in it."""
    texts = own_sentences(turn)
    if not texts:
        return []
    following = [*texts[1:], ""][: len(texts)]
    return [
        UserSentence(turn=turn, text=text, after=after, triggers=(*heard, *held))
        for text, after, heard, held in zip(
            texts, following, *read_with_readers(texts, load_reader(), load_own_reader()), strict=True
        )
    ]


@cache
def load_own_reader() -> TriggerReader:
    """The reader of this room's own patterns."""
    return TriggerReader(PATTERNS)
