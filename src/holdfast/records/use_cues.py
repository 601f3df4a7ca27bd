"""What a memory can be known again by in an agent's words: names, rejected options, an error. Plain searches only:
a cold hook asks this for each memory it tells."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from holdfast.core.memory import Memory, MemoryType
from holdfast.core.word_lists import word_set

MOST = 10
SHORTEST = 3
# Several words together stay shorter than a line of a memory that a purge would look for.
LONGEST_PHRASE = 20
LONGEST_NAME = 60
MOST_WORDS = 3
LONGEST_TEXT = 600
_PUNCTUATION, _NOT_PUNCTUATION, _UNSPACED = 0x2000, 0x2070, 0x2E80
# Capitals that open a sentence or are no name.
_PLAIN = word_set(
    "the this that these those use uses using never always all any not and but for with without when where which what "
    "only must should may can cannot will our your their its each every run runs add keep put set get see say do does "
    "don be is are was were has have had in on at by to of from as if then than or so no yes it we you they i a an "
    "tests test code file files function functions class classes name names value values error errors api http https "
    "json url todo note rationale decision failure choice because"
)
_ERROR_WORDS = 4
_ACRONYM = 4


class _Flat(dict[int, int | str]):
    """A character for looking up: punctuation is a space, and so are scripts that put none between words."""

    def __missing__(self, code: int) -> int | str:
        if code < 128:
            apart = not (chr(code).isalnum() or chr(code) == "_")
        else:
            apart = code >= _UNSPACED or _PUNCTUATION <= code < _NOT_PUNCTUATION
        self[code] = " " if apart else code
        return self[code]


_FLAT = _Flat()


def cues_of(memory: Memory) -> dict[str, Any]:
    """The cues of a memory, by what each tells."""
    return {
        "type": str(memory.type),
        "for": _take_some(_names(memory)),
        "not": _take_some(_list_rejected(memory)),
        "err": _error_words(memory),
        "at": [glob[:LONGEST_NAME] for glob in memory.paths[:MOST]],
    }


def flatten_text(text: str) -> str:
    """A text for looking up names: lower case, punctuation as spaces, a space at both ends."""
    return f" {' '.join(text.lower().translate(_FLAT).split())} "


def _take_some(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(flatten_text(each).strip() for each in found if _is_telling_name(each)))[:MOST]


def _is_telling_name(name: str) -> bool:
    words = flatten_text(name).split()
    if not words or all(word in _PLAIN or word.isdigit() for word in words):
        return False
    longest = LONGEST_PHRASE if len(name.split()) > 1 else LONGEST_NAME
    return SHORTEST <= len(" ".join(words)) <= longest


def _names(memory: Memory) -> Iterator[str]:
    if memory.choice and len(memory.choice.split()) <= MOST_WORDS:
        yield memory.choice
    rejected = {flatten_text(option) for option in _list_rejected(memory)}
    for text in (memory.choice, memory.title, memory.fact, memory.root_cause, memory.body[:LONGEST_TEXT]):
        yield from (name for name in _find_code_names(text) if flatten_text(name) not in rejected)
    yield from (cite.path for cite in memory.cites if cite.path.count("/") < MOST_WORDS)


def _find_code_names(text: str) -> Iterator[str]:
    """Names in code form: what stands in backticks, and words with a shape that prose has not."""
    for at, part in enumerate(text.split("`")):
        if at % 2:
            yield part
            continue
        opening = True
        for word in part.split():
            bare = word.strip("\"'“”‘’()[]{}<>,;:!?.*")
            if _is_name(bare, opening=opening):
                yield bare
            opening = word.endswith((".", ":", "!", "?"))


def _is_name(word: str, *, opening: bool) -> bool:
    if len(word) < SHORTEST or word.lower() in _PLAIN or "://" in word:
        return False
    inner = word[1:]
    shaped = "_" in word.strip("_") or "/" in word.strip("/") or "." in word.strip(".") or "=" in inner
    humped = any(character.isupper() for character in inner) and any(character.islower() for character in word)
    capital = word[0].isupper() and not opening and word.isalnum() and not (word.isupper() and len(word) <= _ACRONYM)
    return (shaped or humped or capital) and not word.replace(".", "").isdigit()


def _list_rejected(memory: Memory) -> Iterator[str]:
    yield from (option.option for option in memory.rejected if len(option.option.split()) <= MOST_WORDS)
    for key in ("forbid_dependency", "forbid_import"):
        given = memory.enforce.get(key) if isinstance(memory.enforce, Mapping) else None
        for name in [given] if isinstance(given, str) else given if isinstance(given, list | tuple) else ():
            yield str(name)


def _error_words(memory: Memory) -> list[str]:
    """The error's type and the words of its message that tell: at least two, or it could be any error."""
    if memory.type is not MemoryType.FAILURE:
        return []
    message = [word for word in flatten_text(memory.error_message[:LONGEST_TEXT]).split() if _is_telling(word)]
    kind = flatten_text(memory.error_type).split()
    found = list(dict.fromkeys([*kind[:2], *message]))[: _ERROR_WORDS + len(kind[:2])]
    return found if len(found) > 1 else []


def _is_telling(word: str) -> bool:
    return SHORTEST < len(word) <= LONGEST_NAME and word not in _PLAIN and not any(c.isdigit() for c in word)
