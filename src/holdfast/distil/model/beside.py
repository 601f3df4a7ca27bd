"""What stands beside a part of a session: memories that are known, and what the rules proposed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from holdfast.core.conversation import Turn
from holdfast.core.memory import Memory, Status
from holdfast.distil.model.answer_schema import REWORD
from holdfast.distil.model.render_conversation import PromptPart
from holdfast.llm.json_question import strip_unprintable
from holdfast.trust.standing import normalise_words

MOST_KNOWN = 40
MOST_LATER, LONGEST = 20, 200
LEAST_SHARED = 2
STEM = 5
_HOLDING = frozenset({Status.ACCEPTED, Status.CANDIDATE, Status.REJECTED})


def name_proposal(memory: Memory) -> str:
    """What a candidate is called before a model: the same for the same words, whatever its id."""
    words = normalise_words(memory.evidence[0].quote if memory.evidence else memory.title)
    return f"c-{blake2b(f'{memory.type} {words}'.encode('utf-8', 'replace'), digest_size=3).hexdigest()}"


def list_beside(
    parts: Sequence[PromptPart], turns: Mapping[int, Turn], known: Sequence[Memory], proposed: Sequence[Memory]
) -> list[list[dict[str, Any]]]:
    """For each part the lines beside it. A proposal stands beside the last part that shows its turn, else the last."""
    places = {turn.id: number for number, turn in turns.items()}
    found = []
    for part in parts:
        here = [one for one in proposed if _part_of(one, parts, places) == part.number]
        found.append([*map(_known_row, _near(known, part)), *(_proposed_row(one, places) for one in here)])
    return found


def list_later(answers: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Lines of what the parts after this one gave, by their answers."""
    for answer in answers:
        for each in answer["candidates"][:MOST_LATER]:
            yield {"later": str(each["type"]), "title": _shown(str(each["title"]))[:LONGEST]}
        for each in answer.get("verdicts", ())[:MOST_LATER]:
            if each["verdict"] == REWORD:
                yield {"later": "reworded", "title": _shown(str(each["title"]))[:LONGEST]}


def _part_of(memory: Memory, parts: Sequence[PromptPart], places: Mapping[str, int]) -> int:
    turn = min((places[each.event] for each in memory.evidence if each.event in places), default=0)
    return next((part.number for part in reversed(parts) if part.first <= turn <= part.last), len(parts))


def _near(known: Sequence[Memory], part: PromptPart) -> list[Memory]:
    """Memories that share words with a part, the nearest first."""
    words = _stems(" ".join(part.lines))
    counted = [(len(_stems(one.title) & words), one) for one in known if one.status in _HOLDING]
    near = sorted((pair for pair in counted if pair[0] >= LEAST_SHARED), key=lambda pair: -pair[0])
    return [one for _, one in near[:MOST_KNOWN]]


def _stems(text: str) -> set[str]:
    return set(_telling(normalise_words(text).split()))


def _telling(words: Iterable[str]) -> Iterator[str]:
    return (word[:STEM] for word in words if len(word) >= STEM - 1 or not word.isascii())


def _known_row(memory: Memory) -> dict[str, Any]:
    return {"known": memory.id, "status": str(memory.status), "type": str(memory.type), "title": _shown(memory.title)}


def _proposed_row(memory: Memory, places: Mapping[str, int]) -> dict[str, Any]:
    row = {"proposed": name_proposal(memory), "type": str(memory.type), "title": _shown(memory.title)}
    quote = memory.evidence[0] if memory.evidence else None
    if quote is None:
        return row
    return {**row, "n": places.get(quote.event, 0), "quote": _shown(quote.quote), "said_by": str(memory.said_by)}


def _shown(words: str) -> str:
    return strip_unprintable(" ".join(words.split()))
