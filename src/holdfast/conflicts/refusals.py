"""What a sentence turns down: `we don't use X`, `no X please`, `X is out`, `we are leaving X`, `X confuses people`."""

import re
from collections.abc import Iterator
from functools import cache

from holdfast.conflicts.comparable_words import share_held, total_weight
from holdfast.conflicts.read_memory import BODY_PLACE, Claim, MemoryReading, split_aside, weigh_text
from holdfast.core.value import Value

_NO = (
    r"(?:do\s+not|don['’]?t|does\s+not|doesn['’]t|never|no\s+longer|won['’]t|will\s+not|should(?:\s+not|n['’]t)"
    r"|must(?:\s+not|n['’]t)|can(?:not|['’]t)|not)"
)
_USE = r"(?:use|using|run|running|want|need|support|supporting|adopt|do|have|take|keep|write|allow|accept)"
_LEAVE = (
    r"(?:leav(?:e|es|ing)|left|quit|quitting|ditch(?:ed|ing)?|drop(?:ped|ping|s)?|abandon(?:ed|ing)?|remov(?:e|ed|ing)|retir(?:e|ed|ing)"
    r"|(?:mov|migrat|switch|stepp?|gett?|walk)(?:e|es|ed|ing)?\s+(?:away\s+from|off)|(?:get|got|getting)\s+rid\s+of|(?:be|are|were|is)\s+done\s+with"
    r"|stop(?:ped|s|ping)?(?:\s+(?:using|with|running|writing|doing))?|avoid(?:s|ed|ing)?|stay(?:ing)?\s+away\s+from|say\s+no\s+to|forget(?:\s+about)?)"
)
_WHAT = r"(?P<what>[^,;:.!?]+?)"
_END = (
    r"(?:\s+(?P<where>(?:for|in|on|to|at|from|within)\s+[^,;]+?))?"
    r"(?:\s+(?:any\s?more|please|here|at\s+all|now|today|after\s+all|anywhere))*$"
)
_OUT = (
    r"(?:(?:is|are|was|were|has\s+been|have\s+been)\s+(?:now\s+)?(?:out|gone|history|banned|forbidden|over|off\s+the\s+table|off\s+limits|dropped|removed|retired"
    r"|discouraged|deprecated|not\s+(?:allowed|wanted|welcome|permitted|supported|needed|used|an\s+option|okay|ok|fine|acceptable)"
    r"|(?:isn|aren|wasn)['’]t\s+\w+|unsupported|unwanted|no\s+longer\s+\w+)|(?:isn|aren)['’]t\s+(?:allowed|wanted|welcome|supported|used|needed|an\s+option)"
    r"|(?:made|makes|caused|causes|gave)\s+(?:us\s+)?(?:only\s+)?(?:trouble|problems|pain|issues)|confus(?:e|es|ed)\s+\w+"
    r"|(?:was|is|are|were|proved|turned\s+out)\s+(?:to\s+be\s+)?(?:too|a\s+mistake|a\s+pain)\b.*|lost\s+\w+|did(?:n['’]t|\s+not)\s+work(?:\s+out)?|must\s+go|has\s+to\s+go|have\s+to\s+go)"
)
LONGEST = 7
MOST = 12


class Refusal(Value):
    """Something turned down: its words, the words of where it is, and how it is written."""

    words: dict[str, float]
    where: dict[str, float]
    text: str


def find_refusals(read: MemoryReading) -> tuple[Refusal, ...]:
    """What the head of a memory turns down."""
    found: dict[str, Refusal] = {}
    for claim in read.claims:
        if claim.place != BODY_PLACE:
            for each in _of_claim(claim):
                found.setdefault(each.text.casefold(), each)
    for option in read.drops:
        found.setdefault(option.text.casefold(), Refusal(words=dict(option.words), where={}, text=option.text))
    return tuple(found.values())[:MOST]


def is_refused(refusal: Refusal, claim: Claim) -> bool:
    """Whether a sentence takes what is refused: it names all of it, and does not turn it down itself."""
    return not claim.negative and share_held(refusal.words, claim.words) >= 0.8


def _of_claim(claim: Claim) -> Iterator[Refusal]:
    kept, aside = split_aside(claim.text)
    for part in re.split(r"[,;:]\s+|\s+[-–—]\s+|\s+(?:but|because|since|as\s+it|and)\s+", kept):
        for pattern in _patterns():
            found = pattern.search(part.strip())
            if found and 0 < len(found["what"].split()) <= LONGEST:
                where = found.groupdict().get("where") or ""
                yield from _build(found["what"], where)
                break
    for cut in aside:
        yield from _build(cut, "")


def _build(what: str, where: str) -> Iterator[Refusal]:
    words = weigh_text(what)
    if total_weight(words) >= 0.9:
        yield Refusal(words=words, where=weigh_text(where), text=what.strip())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    # Compiled when first asked for: a command that compares nothing pays nothing.
    return tuple(
        re.compile(each, re.IGNORECASE)
        for each in (
            rf"\b{_NO}\s+(?:ever\s+)?{_USE}\s+(?:an?\s+|any\s+|the\s+)?{_WHAT}{_END}",
            rf"\b{_LEAVE}\s+(?:the\s+|using\s+|our\s+)?{_WHAT}{_END}",
            rf"^(?:so\s+|and\s+)?no(?:\s+more)?\s+{_WHAT}{_END}",
            rf"^not\s+{_WHAT}{_END}",
            rf"\bwithout\s+(?:any\s+|an?\s+)?{_WHAT}{_END}",
            rf"^(?:the\s+|our\s+)?{_WHAT}\s+{_OUT}",
        )
    )
