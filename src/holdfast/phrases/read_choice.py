"""A sentence that sets one thing over another, in parts: what was chosen, over what, and for what.

"We decided: always use SQLite for the job queue, never Redis, because …" is read the same whether a person typed it
into a session or into `holdfast remember`. Words only: a sentence that is built otherwise gives nothing.
"""

import re
from functools import cache

from holdfast.core.value import Value

LONGEST = 400
_LEAD = re.compile(
    r"^(?:(?:no|nope)\b[,.:;!–—-]+\s*(?:that )?|(?:ok(?:ay)?|so|and|but|yes|yeah|well|also|"
    r"actually|wait|sorry|please|just|remember|note|important|"
    r"decision|decided|agreed|rule|convention|policy|from now on|going forward|always|"
    r"(?:we|i|the team)(?:'ve| have)?(?: now| finally| already| all| just)? "
    r"(?:decided|agreed)"
    r"(?: that| to(?! use\b| go\b| keep\b))?(?! on\b| against\b))\b"
    r"[\s,.:;!–—-]+(?:that )?)+",
    re.IGNORECASE,
)
_WHO = r"(?:(?:we|i|you|they|let's|lets|the team|please|should|will|must|can|always|just|now|only|all|'ll|to)[ ]+)*"
_PICK = (
    r"(?:use|uses|using|used|pick|picked|choose|chose|chosen|prefer|preferred|take|took|keep|keeping|adopt|adopted|"
    r"want|import|install|call|write|return|target|go(?:ing)? with|go(?:ing)? for|went with|went for|stick(?:ing)? "
    r"(?:with|to)|stay(?:ing)? (?:on|with)|settled on|decided on|decided to use|agreed on|rely on|switch(?:ed)? to|"
    r"mov(?:e|ed) to|landed on|ended up with)"
)
_OVER = (
    r"(?:,? (?:instead of|rather than|in place of|as opposed to|and not|but not|never|not)|,? over|, (?:and )?no"
    r"(?! \w+ (?:is|are)\b))"
)
_THING = r"[^\s,;:()][^,;:()]{0,70}?"
_NAME = r"[^\s,;:()]+(?: [^\s,;:()]+){0,3}?"
_ROLE = r"[^\s,;:()][^,;:()]{1,60}?"
_WHERE = r"(?: (?:for|as|in|on|when|across|inside|within|between) (?P<role>" + _ROLE + r"))?"
_WHERE_AFTER = _WHERE.replace("<role>", "<role2>")
_END = (
    r"(?=\s*(?:[.!]*$|[.!] |[,;:(]| [–—-] )| (?:because|since|cuz|so that|so we|as it|as they|as we|otherwise|to keep|"
    r"to avoid|anymore|any more|any longer)\b)"
)
_IS = (
    r"(?:must |should |has to |have to |will |always |now |only )*(?:use|uses|be|is|are|stays?|runs? on|lives? in|"
    r"goes to|go to|goes through|talks?|speaks?|comes? from) (?:always |stored (?:in|as) |kept (?:in|as) |in |on |as )?"
)
_FORBID = r"(?:do not|don't|dont|never|no longer|stop using|not)(?: ever)?(?: use| using| pick| import| install)?"
_FORMS = (
    (
        rf"^for (?P<role>{_ROLE}),? (?:we |you |always |please )*{_PICK} (?P<choice>{_THING}){_OVER} "
        rf"(?P<rejected>{_THING}){_END}"
    ),
    (
        rf"^{_WHO}(?:replace|replaced|swap|swapped) (?P<rejected>{_NAME}) (?:with|by|for) (?P<choice>{_NAME})"
        rf"{_WHERE}{_END}"
    ),
    (
        rf"^{_WHO}(?:migrate|migrated|move|moved|switch|switched|changed?) (?:away )?from (?P<rejected>{_NAME}) to "
        rf"(?P<choice>{_NAME}){_WHERE}{_END}"
    ),
    (
        rf"^{_WHO}{_FORBID} (?P<rejected>{_NAME}){_WHERE}[,;.:] (?:but )?{_WHO}(?:use|take|prefer|"
        rf"go with|stick with) (?P<choice>{_THING})(?: instead)?{_END}"
    ),
    (
        rf"^{_WHO}{_PICK} (?P<choice>{_THING}){_WHERE}{_OVER} (?:use |using |with |in |on |as )?"
        rf"(?P<rejected>{_THING}){_WHERE_AFTER}{_END}"
    ),
    (
        rf"^{_WHO}(?:stor(?:e|ed)|keep|kept|writ(?:e|ten)|send|sent|return|log|format|save|name|pass) "
        rf"(?P<role>{_NAME}) (?:as|in|on|to) (?P<choice>{_THING})"
        rf"(?:, (?:never|not|no)|,? (?:instead of|rather than)) (?:as |in |on |to )?(?P<rejected>{_THING}){_END}"
    ),
    (
        rf"^(?P<role>(?!i\b|we\b|you\b|it\b|this\b|that\b|they\b|there\b|if\b|when\b|what\b)"
        rf"(?:all |every |the |our |each )?[^\s,;:()]+(?: [^\s,;:()]+){{0,5}}?) {_IS}(?P<choice>{_THING}),? "
        rf"(?:never|not|instead of|rather than|and not|but not|over|no) (?:use |using |with |in |on |as )?"
        rf"(?P<rejected>{_THING}){_END}"
    ),
    (
        rf"^(?P<choice>{_NAME}){_WHERE}(?:,? over|,? (?:never|not)|,? (?:instead of|rather than)) "
        rf"(?P<rejected>{_NAME}){_WHERE_AFTER}{_END}"
    ),
    rf"^no (?P<rejected>{_NAME}){_WHERE}, (?:just |only |we use |use )?(?P<choice>{_NAME}){_END}",
    rf"^{_WHO}(?:tried|gave up on|dropped|drop|decided against|banned|ban) (?P<rejected>{_NAME}){_WHERE}"
    r"(?:,? (?:and|but)\b|" + _END + ")",
    (
        rf"^{_WHO}(?:go|going|switch|switching|move|moved|went|revert|reverted|reverting) back to (?P<choice>{_NAME})"
        rf"{_WHERE}{_END}"
    ),
)
_REFERS = re.compile(
    r"^(?:the |a |an )?(?:it|that|this|these|those|them|one|other one|\w+ one|what|how|why|if|or|and|to|be|"
    r"do|does|did|should|must|will|can|could|would|has|have|is|are|was|were|may|"
    r"being|because|i|we|you|he|she|they|there|broken|wrong|missing|only|just|yet|sure|necessarily|more|less|longer|matter|need|later|now|here|there|both|all)\b"
    r"(?! \w+s\b)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|all|every|each)\s+", re.IGNORECASE)
_MARKS = " ,.;:!\"'“”`"
_OR = re.compile(r",? (?:or|nor) ")
_ALSO = re.compile(rf"^,? (?:and )?(?:not|never|nor|or) (?P<more>{_NAME}){_END}", re.IGNORECASE)


class StatedChoice(Value):
    """What a sentence chooses, over what and for what; `tail` is what it says after that, which may be why."""

    choice: str = ""
    rejected: tuple[str, ...] = ()
    role: str = ""
    tail: str = ""


def read_choice(sentence: str) -> StatedChoice | None:
    """What one sentence sets over what; None where it is not built so."""
    text = " ".join(sentence.replace("’", "'").split())[:LONGEST]
    led = _LEAD.match(text)
    at = led.end() if led else 0
    told = text[at:]
    for form in _forms():
        found = form.match(told)
        if found and (read := _read_parts(found)) is not None:
            more = _ALSO.match(told[found.end() :])
            end = found.end() + (more.end() if more else 0)
            rejected = (*read.rejected, *([_trim(more["more"])] if more else []))
            return StatedChoice(choice=read.choice, rejected=rejected, role=read.role, tail=told[end:])
    return None


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    # Compiled when first asked for: who remembers no decision pays nothing.
    return tuple(re.compile(form, re.IGNORECASE) for form in _FORMS)


def _read_parts(found: re.Match[str]) -> StatedChoice | None:
    parts = {name: (words or "").strip(_MARKS) for name, words in found.groupdict().items()}
    choice, role = _trim(parts.get("choice", "")), parts.get("role", "") or parts.get("role2", "")
    rejected = tuple(one for each in _OR.split(parts.get("rejected", "")) if (one := _trim(each)))
    if any(map(_REFERS.match, filter(None, (choice, *rejected)))):
        return None
    return StatedChoice(choice=choice, rejected=rejected, role=role)


def _trim(words: str) -> str:
    return _ARTICLE.sub("", words.strip(_MARKS))
