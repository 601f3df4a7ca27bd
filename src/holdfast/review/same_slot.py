"""Whether two statements put different values into one place: "it's restore.db", then "let's go with sessions.db".

The rules of `conflicts/` hold memories against each other that may have nothing to do with each other; here both wait,
and what is asked is only whether one question answers both. So less is enough: one name in another's place.
"""

import re

from holdfast.conflicts.comparable_words import light_forms, split_words
from holdfast.conflicts.read_memory import MemoryReading
from holdfast.core.word_lists import word_set

OTHER_VALUE = "the later one says another value in the same place"
OTHER_NAME = "the later one of the same session takes another name of the same kind"
# Less than so many words besides the value, and two sentences are alike by chance.
LEAST_FRAME = 2
_NUMBERS = word_set(
    "one two three four five six seven eight nine ten eleven twelve first second third fourth fifth "
    "eins zwei drei vier fünf sechs un deux trois quatre cinq uno dos tres cuatro cinco"
)
_WORD = re.compile(r"[^\s,;:!?\"'`()\[\]]+")
_FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.([A-Za-z]\w{0,7})\.?")
_VALUE = re.compile(r"(?=.*[\d._/@-])[\w./@:+-]{2,}|[A-Z]{2,}")


def count_alike(one: str, other: str) -> bool:
    """Whether two texts name the same numbers: "one" and "two" are light words to the rules of `conflicts/`."""
    return _find_numbers(one) == _find_numbers(other)


def fills_same_slot(later: MemoryReading, earlier: MemoryReading) -> str:
    """Why two are about one place, in words; an empty text where they are not."""
    if later.memory.type is not earlier.memory.type or set(later.memory.paths) != set(earlier.memory.paths):
        return ""
    if _differ_in_one_value(later.memory.title, earlier.memory.title):
        return OTHER_VALUE
    same_session = bool(later.memory.source) and later.memory.source == earlier.memory.source
    if same_session and _name_same_kind(later, earlier) and _is_bare(later, earlier):
        return OTHER_NAME
    return ""


def _find_numbers(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if word.isdigit() or word in _NUMBERS}


def _differ_in_one_value(one: str, other: str) -> bool:
    """Whether two titles are the same words but for one, and that is a value in both: a file, a number, a version."""
    mine, theirs = _WORD.findall(one), _WORD.findall(other)
    if len(mine) != len(theirs):
        return False
    apart = [(a, b) for a, b in zip(mine, theirs, strict=True) if a.casefold() != b.casefold()]
    frame = [word for word in mine if word.casefold() not in light_forms()]
    return len(apart) == 1 and all(map(_VALUE.fullmatch, apart[0])) and len(frame) > LEAST_FRAME


def _name_same_kind(later: MemoryReading, earlier: MemoryReading) -> bool:
    """Whether both choose a file of one kind."""
    kinds = [{match[1].casefold() for match in _FILE.finditer(_chosen(each))} for each in (later, earlier)]
    names = [{match[0].casefold() for match in _FILE.finditer(_chosen(each))} for each in (later, earlier)]
    return bool(kinds[0] & kinds[1]) and not names[0] & names[1]


def _chosen(each: MemoryReading) -> str:
    return each.memory.choice or (each.takes[0].text if each.takes else "")


def _is_bare(later: MemoryReading, earlier: MemoryReading) -> bool:
    """Whether one of the two says nothing but the name, or both say it of the same things."""
    mine, theirs = (_besides(each) for each in (later, earlier))
    return not mine or not theirs or bool(mine & theirs)


def _besides(each: MemoryReading) -> set[str]:
    named = {word.form for word in split_words(" ".join((_chosen(each), *(o.text for o in each.drops))))}
    said = {word.form for word in split_words(each.memory.title) if word.weight}
    return said - named - light_forms()
