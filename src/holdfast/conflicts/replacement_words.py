"""Words that say that something takes another thing's place, and what that other thing is."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from holdfast.conflicts.amounts import Amount, find_amounts
from holdfast.conflicts.comparable_words import share_held, shared_weight, total_weight
from holdfast.conflicts.read_memory import BODY_PLACE, Claim, ClaimedOption, MemoryReading, weigh_text
from holdfast.core.value import Value

_STOP = (
    r"(?=\s+(?:with|by|to|for|in|on|as|because|and|so|since|when|from|where|which|that|within|across|at)\b"
    r"|[,.;:!?()](?=\s|$)|[()]|$)"
)
_WHAT = (
    r"(?:the\s+|our\s+|a\s+|an\s+|using\s+|use\s+of\s+|usage\s+of\s+|(?:move|switch|decision|change|migration)\s+(?:to|of)\s+)*"
    r"(?P<what>\S+(?:\s+\S+){0,7}?)"
)
_LEFT = r"mov|migrat|switch|chang|convert|upgrad|bump|rais|increas|lower|reduc|decreas|go|went|shift|transition|port"
_ENDED = (
    r"replaced|superseded|deprecated|retired|obsolete|dropped|phased\s+out|decommissioned|abandoned|discontinued"
    r"|overturned|reverted"
)
_ENDS = (
    r"drop|remov|retir|abandon|deprecat|discontinu|revers|revert|overturn|rescind|withdraw|undo|ditch|sunset"
    r"|decommission"
)
# Each names what goes, as `what`. Strong ones speak of a change; weak ones of what there was.
_STRONG = (
    rf"\b(?:instead\s+of|rather\s+than|in\s+place\s+of)\s+{_WHAT}{_STOP}",
    rf"\breplac(?:e|es|ed|ing)\s+{_WHAT}{_STOP}",
    rf"\bsupersed(?:e|es|ed|ing)\s+{_WHAT}{_STOP}",
    rf"^(?P<what>.+?)\s+(?:is|are|was|were|has\s+been|have\s+been|will\s+be|gets?)\s+(?:now\s+|being\s+)?(?:{_ENDED})\b",
    rf"\bmakes?\s+{_WHAT}\s+(?:obsolete|redundant|unnecessary|superfluous)\b",
    rf"\b(?:{_LEFT})\w*\b[^.;]{{0,80}}?\bfrom\s+(?P<what>[^.;,]{{1,60}}?)\s+(?:in)?to\b",
    rf"\b(?:mov|migrat|switch|shift|transition|walk|get|step)\w*\s+(?:away|off)\s+(?:from\s+)?{_WHAT}{_STOP}",
    r"\bno\s+longer\s+(?P<what>.+)$",
    r"^(?P<what>.+?)\s+(?:any\s?more|no\s+longer)\b",
    rf"\b(?:{_ENDS})(?:e|es|ed|ing|s)?\s+{_WHAT}{_STOP}",
    r"\bstop(?:s|ped|ping)?\s+(?P<what>(?!the\b|at\b|when\b).+?)(?=[,.;:]|$)",
    rf"\b(?:get|gets|got|getting)\s+rid\s+of\s+{_WHAT}{_STOP}",
    rf"\bphas(?:e|es|ed|ing)\s+out\s+{_WHAT}{_STOP}",
    r"\bused\s+to\s+(?P<what>.+)$",
    r"^(?:until|till|up\s+to)\s+now,?\s+(?P<what>.+)$",
)
_WEAK = (
    r"^(?:previously|formerly|originally|historically|so\s+far|in\s+the\s+past|earlier|before),?\s+(?P<what>.+)$",
    r"\b(?:was|were)\s+(?:previously|formerly|originally)\s+(?P<what>.+)$",
    r"\b(?:currently|at\s+present|at\s+the\s+moment|today|presently)\b,?\s+(?P<what>.+)$",
    r"^(?P<what>.+?)\s+(?:currently|at\s+present|at\s+the\s+moment|presently)\b",
)
# A sentence with one of these knows that it was otherwise before.
AWARE = re.compile(
    r"\b(?:no longer|any\s?more|from now on|from today|as of (?:now|today)|again|lifted|is now|are now"
    r"|now (?:use|sent|stored|run)|chang(?:e|ed|es|ing) (?:from|our mind|to)|mov(?:e|ed|ing) (?:from|to|away|off)"
    r"|switch(?:ed|ing)? (?:from|to)|migrat\w+ (?:from|to)|instead of|rather than|replac(?:e|es|ed|ing)|supersed\w+"
    r"|revers(?:e|es|ed|ing) (?:the|our)|revert(?:s|ed|ing)?|stop(?:s|ped)? \w+ing|used to|until now"
    r"|(?:rais|bump|increas|lower|reduc|upgrad)\w+ (?:\w+ ){0,6}from|deprecat\w+|retir(?:e|ed|es|ing)|overturn\w*"
    r"|going forward|back to|scratch that|take that back|after all|changed our minds?)\b",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r"[\s(\[-]*\b(?:v|version|part|take|rev|revision|no\.?)?\s*(?P<number>[2-9]|ii|iii|iv|1\d)\b[\s)\]]*$",
    re.IGNORECASE,
)
ENOUGH = 0.7
HALF, THIRD, QUARTER = 0.5, 0.33, 0.25
LONGEST_CLAIM = 12
ONE_WORD = 0.9


class StatedRemoval(Value):
    """What a sentence says goes: its words, its amounts, the sentence, and how strongly it says so."""

    words: Mapping[str, float]
    amounts: tuple[Amount, ...]
    text: str
    strong: bool
    place: str


def find_removals(read: MemoryReading) -> tuple[StatedRemoval, ...]:
    """What a memory says takes leave, the plainest first."""
    return tuple(sorted(_iter_removals(read), key=lambda each: (not each.strong, each.place == BODY_PLACE)))


def removal_match(gone: StatedRemoval, old: MemoryReading) -> float:
    """How much what goes is what the old memory takes or is called, from 0 to 1."""
    if not total_weight(gone.words):
        return 0.0
    taken = max((_match_option(gone.words, option) for option in old.takes), default=0.0)
    # Whole sentences name what goes in other words than its name.
    return max([taken, *(_match_claim(gone, claim) for claim in old.claims if claim.place != BODY_PLACE)])


def _match_claim(gone: StatedRemoval, claim: Claim) -> float:
    if total_weight(gone.words) < ONE_WORD or len(claim.words) > LONGEST_CLAIM:
        return 0.0
    said = share_held(gone.words, claim.words)
    least = HALF if gone.place == BODY_PLACE else THIRD
    return said if said >= ENOUGH and share_held(claim.words, gone.words) >= least else 0.0


def is_later_part(new: str, old: str) -> bool:
    """Whether a title is another one's with a higher number at its end: `Navigation (v2)`, `Capacity 2`."""
    mine, theirs = _SECOND.search(new), _SECOND.search(old)
    if mine is None:
        return False
    plain = new[: mine.start()].casefold().strip()
    before = old[: theirs.start()] if theirs else old
    return bool(plain) and plain == before.casefold().strip() and _number(mine) > (_number(theirs) if theirs else 1)


def _number(found: re.Match[str]) -> int:
    given = found["number"].lower()
    return {"ii": 2, "iii": 3, "iv": 4}.get(given) or int(given)


def _iter_removals(read: MemoryReading) -> Iterator[StatedRemoval]:
    for claim in read.claims:
        for strong, patterns in ((True, _patterns()[0]), (False, _patterns()[1])):
            for pattern in patterns:
                for found in pattern.finditer(claim.text):
                    yield _build_removal(found["what"], claim, strong=strong)


def _build_removal(what: str, claim: Claim, *, strong: bool) -> StatedRemoval:
    return StatedRemoval(
        words=weigh_text(what), amounts=find_amounts(what), text=claim.text, strong=strong, place=claim.place
    )


def _match_option(gone: Mapping[str, float], option: ClaimedOption) -> float:
    """How much what goes is an option; a name that both have is enough where the option is little more than it."""
    if not option.short:
        return 0.0
    if (
        option.names & gone.keys()
        and share_held(option.words, gone) >= HALF
        and share_held(gone, option.words) >= QUARTER
    ):
        return 1.0
    if min(total_weight(gone), total_weight(option.words)) < ONE_WORD:
        return 0.0
    return shared_weight(gone, option.words) / max(total_weight(option.words), HALF * total_weight(gone))


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]:
    # Compiled when first asked for: a command that compares nothing pays nothing.
    made = [tuple(re.compile(each, re.IGNORECASE) for each in group) for group in (_STRONG, _WEAK)]
    return made[0], made[1]
