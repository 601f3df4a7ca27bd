"""What a sentence itself says of what was chosen, over what, for what and why, as the fields of a memory."""

import re

from holdfast.core.memory import Memory, MemoryType, RejectedOption, SaidBy
from holdfast.core.value import replace
from holdfast.distil.decision_wording import choice_title, infer_question
from holdfast.distil.make_candidate import LONGEST_TITLE, strip_lead
from holdfast.distil.reasons import Reasons, find_reasons
from holdfast.phrases.prose import split_sentences
from holdfast.phrases.read_choice import StatedChoice, read_choice
from holdfast.records.work_unit import one_line

_MOST_SENTENCES = 4
# What is said as a rule, and names what it sets aside, is a decision.
_PREFERS = re.compile(r"\bprefer", re.IGNORECASE)
_RULES = (MemoryType.DECISION, MemoryType.INVARIANT, MemoryType.PATTERN)


def fill_choice(memory: Memory, text: str) -> Memory:
    """A memory with what its words choose and reject, and why, where no field says so yet."""
    stated, why = _read_first_choice(text)
    if stated is None:
        return memory
    rationale = "" if "\nRationale:" in memory.body else why.rationale
    return replace(
        memory,
        choice=memory.choice or stated.choice,
        rejected=memory.rejected or _name_rejected(stated, why),
        question=memory.question or infer_question(stated.choice, stated.rejected, stated.role),
        body=f"{memory.body.rstrip()}\n\nRationale: {rationale}." if rationale else memory.body,
    )


def title_choice(text: str) -> str:
    """A text that is too long for a title by what it chooses, over what and for what; nothing where that is not
    told.
    """
    stated, _ = _read_first_choice(text)
    if stated is None or not stated.choice:
        return ""
    return one_line(choice_title(stated.choice, " or ".join(stated.rejected), stated.role), LONGEST_TITLE)


def states_choice(text: str, after: str = "") -> bool:
    """Whether a sentence sets one thing over another, both named, and says why."""
    stated = read_choice(text)
    if stated is None or not (stated.choice and stated.rejected):
        return False
    return find_reasons(stated.tail, after, stated.choice, stated.rejected) != Reasons()


def decide_by_words(memory: Memory, text: str) -> Memory:
    """A candidate out of a user's sentence: a decision where that sets one thing over another, for something or for a
    reason. What was picked from an offer is named there, in more words.
    """
    stated = read_choice(text)
    picked = memory.choice and memory.choice.lower() not in text.lower()
    if stated is None or picked or memory.said_by is not SaidBy.USER or memory.type not in _RULES:
        return memory
    if not (stated.choice and stated.rejected):
        return fill_choice(memory, text) if memory.type is MemoryType.DECISION else memory
    if memory.type is not MemoryType.DECISION and (_PREFERS.search(text) or not (stated.role or states_choice(text))):
        return memory
    title = memory.title if len(strip_lead(text)) <= LONGEST_TITLE else title_choice(text)
    same = {one.option.lower() for one in memory.rejected} == {name.lower() for name in stated.rejected}
    kept = memory.rejected if same else ()
    return fill_choice(
        replace(memory, type=MemoryType.DECISION, category="", title=title, choice="", rejected=kept, question=""), text
    )


def _read_first_choice(text: str) -> tuple[StatedChoice | None, Reasons]:
    """What the first sentence of a text that chooses says, with its reason or that of the sentence after it."""
    said = list(split_sentences(text.rstrip(" ,;:")))[:_MOST_SENTENCES]
    for sentence, after in zip(said, [*said[1:], ""][: len(said)], strict=True):
        stated = read_choice(sentence)
        if stated is not None:
            return stated, find_reasons(stated.tail, after, stated.choice, stated.rejected)
    return None, Reasons()


def _name_rejected(stated: StatedChoice, why: Reasons) -> tuple[RejectedOption, ...]:
    against = dict(why.against)
    return tuple(RejectedOption(option=name, reason=against.get(name, "")) for name in stated.rejected)
