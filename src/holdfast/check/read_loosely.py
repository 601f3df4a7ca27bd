"""The words of a rule by what they name and what stands beside it, where no form of sentence fits them.

Each clause says no, says where alone something may be, or says what to use. What a clause turns down is what it names;
what stands behind "use", "prefer" or before "is fine" is what takes its place.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from holdfast.check.read_rule import PlainRule
from holdfast.check.rule_mentions import PATH, Mention, find_mentions
from holdfast.core.value import Value

LONGEST = 600
_ANY_CASE = re.IGNORECASE
# Where a clause ends. A path or a version holds dots that end none.
_BREAK = re.compile(
    r"(?<![A-Z])[.!?](?=\s|$)|;|\s[—–]\s|:(?=\s)|\s-\s|\(|\)|,\s+(?=(?:and|but|or|so|because|since|as|while|which|"
    r"where|use|ask|wrap|pass|call|prefer|instead|it|it's|"
    r"they|that|this|these|there|the|we|we're|you|no|nothing|nobody|never|not|don't|do not|add|return|write|put|go|"
    r"then|otherwise|elsewhere|everything|in|"
    r"tests?|components?|date-fns|new|only|one|meaning|always)\b)",
    _ANY_CASE,
)
_SPARES = (
    r"nowhere (?:but|else)|nobody (?:but|else|except)|nothing (?:but|else|except)|no one (?:but|else)|no other \w+|"
    r"not\s+\w+\s+but"
)
_ALONE = re.compile(
    rf"\b(?:{_SPARES}|only|sole(?:ly)?|exclusively|alone|(?:go|goes|going|gone|pass(?:es)?|routed?|done|happens?|"
    rf"lives?|belongs?|sits?|stays?|made|read|"
    r"written|runs?|comes?|called|allowed|fine|ok|okay|acceptable) (?:only )?(?:through|via|by|in|inside|within|from|"
    r"to)|must (?:go|be|come|live|stay)|reserved? for|single|one place|"
    r"confined to|limited to|restricted to|up to|the job of|owns?|is for)\b",
    _ANY_CASE,
)
_NO = re.compile(
    r"\b(?:never|not|no|nobody|nothing|none|nowhere|cannot|\w+n['’]t|avoid\w*|ban(?:ned|s)?|forbid\w*|prohibit\w*|"
    r"disallow\w*|off[- ]limits|off the table|"
    r"out of|out|away from|stop(?:ped|s)?|without|free of|done with|drop(?:ped|s)?|remov\w+|deprecated|retired?|gone|"
    r"dead|reject\w*|refus\w+|unsafe|"
    r"instead of|rather than|in place of|as opposed to|replac\w+|mov(?:ed|ing) (?:off|away)|archived|unmaintained|"
    r"shut down|thing of the past|can go|"
    r"switch\w* (?:from|away)|leave \S+ alone|outlawed|abandoned|ditch\w*|superseded|no[- ]go|taboo|obsolete|legacy|"
    r"nor|neither|leaks?|deadlocks?|"
    r"fails? (?:review|ci)|sent back|reverted|hides?|breaks?|a bug|would(?:'ve| have)|harmful|trouble|immutable|"
    r"vendored|as upstream|frozen|read-only)\b|-free\b",
    _ANY_CASE,
)
# Right before a mention: it takes the place of something; it goes.
_TAKES = re.compile(
    r"\b(?:use|using|prefer|reach for|choose|pick|go for|stick (?:to|with)|favou?r|call|take|want|rely on|"
    r"replaced (?:with|by)|superseded by|it's|settled on|wrap with|ask|"
    r"await|switch(?:ed)? to|mov(?:e|ed) to|migrat(?:e|ed) to|in favou?r of|with|via|through|by|to|on|is now|are now|"
    r"declared?|says?)\s+(?:the\s+|an?\s+|our\s+|plain\s+)*$",
    _ANY_CASE,
)
_GOES = re.compile(
    r"\b(?:instead of|rather than|in place of|as opposed to|over|never|not|no|nor|avoid|dropped|drop|without|off|from|"
    r"away from|out|done with|"
    r"stop(?:ped)? using|(?:do not|don't|never|not) (?:use|call|import|add|include)|replaces?|ban(?:ned)?|forbid|"
    r"ditch(?:ed)?|than|written|would say|free of|literal|of)\s+(?:to\s+)?(?:us(?:e|ing)\s+|call(?:ing)?\s+|"
    r"import(?:ing)?\s+)?(?:the\s+|an?\s+|our\s+|plain\s+|raw\s+|bare\s+|direct\s+|explicit\s+)*$",
    _ANY_CASE,
)
_INSTEAD = re.compile(
    r"\b(?:prefer|favou?r|choose|pick|rather)\b[^,;.]*\s(?:to|over|than)\s+(?:the\s+|an?\s+|plain\s+|raw\s+)*$",
    _ANY_CASE,
)
# Right behind a mention.
_IS_GONE = re.compile(
    r"^\s*(?:is|are|was|were|has been|have been|'s|’s|:)?\s*(?:out\b|dead\b|gone\b|unsafe\b|banned|forbidden|off\b|"
    r"legacy|deprecated|archived|a thing of the past|not\b|never\b|leaks?|deadlocks?|"
    r"fails?|hides?|hands\b|no\b|treated as|can go|isn['’]t|aren['’]t|doesn['’]t|don['’]t|must not|mustn|shall not|"
    r"won['’]t|left in|locks?|\?)",
    _ANY_CASE,
)
_STAYS = re.compile(
    r"^\s*(?:is|are|'s|’s)?\s*(?:in\b(?!\s+\S*/)|the one|fine\b|ok\b|okay\b|enough|acceptable|what\b|has been there|"
    r"covers?|or nothing|instead\b|is allowed\b|may be|should be used|are what|does it|now\b)",
    _ANY_CASE,
)
_ARROW = re.compile(r"\s*(?:→|⇒|->|=>)\s*")
_INSIDE = re.compile(
    r"\b(?:in|inside|under|within|below|throughout|across|from|at|into|of|to)\s+(?:the\s+|our\s+|any\s+|all\s+|"
    r"rest of\s+)*$",
    _ANY_CASE,
)
_OUTSIDE = re.compile(
    r"\b(?:outside(?: of)?|except(?: for| in)?|other than|apart from|but|besides|unless in|through|via|by|"
    r"reserved for|limited to|confined to|restricted to|up to|behind|"
    r"is for|belongs? (?:in|to)|only (?:in|inside|from|by|via|through|under))\s+(?:the\s+|our\s+)*$",
    _ANY_CASE,
)
_IMPORTS = re.compile(
    r"\b(?:import\w*|depend\w*|reference\w*|know\w*|reach\w* into|pull\w* in|couple\w*|includes?|included)\b", _ANY_CASE
)
_CHANGES = re.compile(
    r"\b(?:edit\w*|modif\w+|hand-edit\w*|rewrit\w+|alter\w*|chang\w+|leave \S+ alone|left (?:alone|exactly)|read-only|"
    r"immutable|append-only|removed?|deleted?|vendored)\b",
    _ANY_CASE,
)
_CREATES = re.compile(
    r"\b(?:commit\w*|check(?:ed)? in|adding|put|creat\w+|new files?|come back|git|accept|under)\b", _ANY_CASE
)


class _Clause(Value):
    text: str
    start: int
    held: tuple[Mention, ...]


def read_loosely(text: str, phrases: Iterable[str], packages: Iterable[str]) -> Iterator[PlainRule]:
    """What each clause of some words turns down, by what it names; a clause that only says no means those before it."""
    said = " ".join(text.split())[:LONGEST]
    mentions = find_mentions(said, phrases, packages)
    before: tuple[Mention, ...] = ()
    for clause in _split(said, mentions):
        alone, denied = _judge(_blank_mentions(clause))
        held = clause.held or (before if denied and len(clause.text.split()) <= 6 else ())
        if held and (alone or denied):
            rule = _read_clause(clause, held, alone=alone and not denied)
            if rule.things:
                yield rule
        elif held and (arrow := _ARROW.search(clause.text)) and held[0].start - clause.start < arrow.start():
            yield PlainRule(verb="use", things=(held[0].text,), instead="→")
        before = clause.held or before


def _split(said: str, mentions: Sequence[Mention]) -> Iterator[_Clause]:
    """The clauses of some words; what is named is never cut."""
    ends = [
        found.end() for found in _BREAK.finditer(said)
        if not any(each.start <= found.start() < each.end for each in mentions)
    ]  # fmt: skip
    start = 0
    for end in [*ends, len(said)]:
        held = tuple(each for each in mentions if start <= each.start < end)
        if said[start:end].strip(" .,;:"):
            yield _Clause(text=said[start:end], start=start, held=held)
        start = end


def _blank_mentions(clause: _Clause) -> str:
    """A clause without what it names: `unsafe` says nothing by itself."""
    text = clause.text
    for each in clause.held:
        at = each.start - clause.start
        text = text[:at] + "·" * (each.end - each.start) + text[at + each.end - each.start :]
    return text


def _judge(clause: str) -> tuple[bool, bool]:
    """Whether a clause says where alone something may be, and whether it says no."""
    alone = bool(_ALONE.search(clause))
    return alone, bool(_NO.search(re.sub(_SPARES, "", clause, flags=_ANY_CASE) if alone else clause))


def _read_clause(clause: _Clause, held: Sequence[Mention], *, alone: bool) -> PlainRule:
    inside: list[str] = []
    outside: list[str] = []
    things: list[str] = []
    spared: list[str] = []
    for each in held:
        before = clause.text[: max(0, each.start - clause.start)]
        after = clause.text[max(0, each.end - clause.start) :]
        if each.kind == PATH:
            _place(each, before, inside, outside, things, alone=alone)
        elif _takes_over(before, after):
            spared.append(each.text)
        else:
            things.append(each.text)
    return PlainRule(
        verb=_verb_of(clause.text), things=tuple(dict.fromkeys(things)), within=tuple(inside), outside=tuple(outside),
        instead=spared[0] if spared else "",
    )  # fmt: skip


def _takes_over(before: str, after: str) -> bool:
    """Whether what stands between these words takes the place of something."""
    if _IS_GONE.match(after) or _INSTEAD.search(before):
        return False
    if _STAYS.match(after):
        return True
    return bool(_TAKES.search(before)) and not _GOES.search(before)


def _place(
    each: Mention, before: str, inside: list[str], outside: list[str], things: list[str], *, alone: bool
) -> None:
    """A path as where a rule holds, where it does not, or as what must not be changed or imported."""
    if alone or _OUTSIDE.search(before):
        outside.append(each.text)
    elif _INSIDE.search(before) and not (_IMPORTS.search(before) and before.rstrip().endswith("from")):
        inside.append(each.text)
    else:
        things.append(each.text)


def _verb_of(clause: str) -> str:
    if _IMPORTS.search(clause):
        return "import"
    if _CHANGES.search(clause):
        return "edit"
    return "add" if _CREATES.search(clause) else "use"
