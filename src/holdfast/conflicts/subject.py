"""What a memory is about, in a person's words: what it says itself, or read off its question, title and choice."""

import re

from holdfast.conflicts.comparable_words import split_words, table_groups, total_weight
from holdfast.conflicts.read_memory import split_aside, weigh_text
from holdfast.conflicts.topic import split_topic
from holdfast.conflicts.word_groups import FAMILIES
from holdfast.core.memory import Memory, MemoryType

# The types that say what holds: of each subject, one is the truth.
WITH_SUBJECT = (MemoryType.DECISION, MemoryType.INVARIANT, MemoryType.PATTERN)
LONGEST, MOST_WORDS = 80, 9
ONE_WORD = 0.9
_ASKS = re.compile(
    r"^(?:which|what|where|how|who|whom|when|why|whether|should|shall|do|does|can|could|is|are|will)\b"
    r"(?:\s+(?:do|does|should|shall|must|can|will|is|are|be|to|we|i|the|our|a|an|use|take|pick|have|kind\s+of|sort\s+of|for)\b)*\s*",
    re.IGNORECASE,
)
_OR = re.compile(r"\s+or\s+|,\s*", re.IGNORECASE)


def subject_of(memory: Memory) -> str:
    """What a memory is about: as a person wrote it, or as it would be proposed; nothing for types without one."""
    if memory.type not in WITH_SUBJECT:
        return ""
    return memory.subject or propose_subject(memory)


def propose_subject(memory: Memory) -> str:
    """A subject read off the question, or off how the title is built."""
    if memory.question.strip() and not _lists_options(memory):
        asked = _ASKS.sub("", memory.question.strip()).strip(" ?.!")
        return _shorten(asked or memory.question.strip(" ?"))
    split = split_topic(memory.title)
    if total_weight(weigh_text(split.topic)) >= ONE_WORD:
        return _shorten(split.topic)
    return _shorten(_name_kind(memory, split.value) or memory.title)


def _lists_options(memory: Memory) -> bool:
    """Whether a question only names what was chosen and set aside, in the order of who chose: `ruff or black?`."""
    asked = {word.strip(" ?").casefold() for word in _OR.split(memory.question)}
    return len(asked) > 1 and asked <= {each.casefold() for each in (memory.choice, *_set_aside(memory))}


def _set_aside(memory: Memory) -> tuple[str, ...]:
    return tuple(each.option for each in memory.rejected)


def subject_key(subject: str) -> frozenset[str]:
    """The words of a subject in one form each: two with the same are one subject."""
    return frozenset(weigh_text(subject))


def _name_kind(memory: Memory, value: str) -> str:
    """Of `Use X instead of Y` the kind of both, where it is known; else both, in one order."""
    options = [value, *split_aside(memory.title)[1]] if value else []
    forms = {word.form for option in options for word in split_words(option)}
    kinds = {kind for form in forms for kind in table_groups(FAMILIES).get(form, ())}
    if len(kinds) == 1:
        return kinds.pop().replace("_", " ")
    return ", ".join(sorted(option.strip() for option in options)) if len(options) > 1 else ""


def _shorten(text: str) -> str:
    return " ".join(text.split()[:MOST_WORDS])[:LONGEST].strip(" ,.;:")
