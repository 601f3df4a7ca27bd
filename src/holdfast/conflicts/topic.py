"""A statement in two: what it is about, and what it says of that. `Errors go to Sentry`: errors, and Sentry."""

import re
from functools import cache

from holdfast.core.value import Value

_WHO = (
    r"(?:we|i|you|they|everybody|everyone|anybody|anyone|the\s+team|our\s+team|all\s+of\s+us|people|nobody|no\s+one"
    r"|developers|any\s+developer)"
)
_HELP = (
    r"(?:(?:will|would|should|must|may|might|can|could|shall|have\s+to|has\s+to|need\s+to|want\s+to|are\s+going\s+to|going\s+to|always|never|only|now"
    r"|still|also|just|all|do\s+not|don['’]t|does\s+not|no\s+longer|['’]ll|['’]re|['’]ve|are|have|had|decided\s+to|agreed\s+to|would\s+like\s+to|to|ever|rather)\s+)*"
)
_LEAD = re.compile(
    r"^(?:(?:from\s+now\s+on|please|let['’]?s|ok|okay|so|and|actually|for\s+now|going\s+forward|as\s+of\s+\w+|after\s+all|always|never|don['’]t\s+ever"
    r"|do\s+not|don['’]t|not|no|only|we\s+(?:have\s+)?(?:decided|agreed)(?:\s+(?:that|to|on))?|decision|rule|remember|note\s+that)[\s,:]+)+",
    re.IGNORECASE,
)
_PICK = (
    r"(?:us(?:e|es|ing|ed)|adopt(?:ed|ing)?|pick(?:ed|ing)?|cho(?:ose|se|sen)|go(?:ing)?\s+with|went\s+(?:for|with)|prefer(?:red)?|tak(?:e|ing)|took|stick(?:ing)?\s+(?:to|with)"
    r"|stay(?:ing)?\s+(?:on|with)|settled?\s+on|rely\s+on|build\s+on|standardi[sz]ed?\s+on|want|moved\s+to|are\s+on|['’]re\s+on|on|host(?:ed)?\s+on|run(?:s)?\s+on)"
)
_TO = r"(?:for|as|in|on|when|to|across|between|inside|within|at|behind|of)"
_IS = (
    r"(?:is|are|was|were|isn['’]t|aren['’]t|be|been|must|mustn['’]t|should|shouldn['’]t|may|can|cannot|can['’]t|will|won['’]t|has|have|had|needs?|gets?|goes|go|lives?|runs?"
    r"|comes?|stays?|stands?|belongs?|expires?|uses?|starts?|stops?|takes?|returns?|gives?|allows?|requires?|happens?|ends?|lasts?|follows?|keeps?|retr(?:y|ies)"
    r"|do(?:es)?|don['’]t|doesn['’]t|never|always|only|talks?|calls?|sends?|reads?|writes?|prints?|queries|polls?|carr(?:y|ies)|carries|supports?|moved|made)"
)
_AT = (
    r"(?:with|in|on|at|by|to|from|as|under|into|onto|through|via|over|until|till|every|after|before|for|next\s+to|up\s+to|of|using|without|instead\s+of|not"
    r"|once|twice|daily|weekly|monthly|synchronously|asynchronously|automatically|manually|directly)"
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|all|any|each|every|no|your|its|their|this|that)\s+", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:,|;|\s[-–—]\s|:\s|\bbecause\b|\bsince\b|\binstead\s+of\b|\brather\s+than\b|\s\().*$", re.IGNORECASE
)
LONGEST = 9


class TopicSplit(Value):
    """What a statement is about, and what it says of it; either may be empty."""

    topic: str
    value: str


def split_topic(text: str) -> TopicSplit:
    """What a sentence is about, told by how it is built."""
    plain = _LEAD.sub("", " ".join(text.split()).strip(" .!?"))
    told = _TAIL.sub("", plain).strip() or plain
    for pattern in _patterns():
        found = pattern.match(told)
        if found:
            parts = found.groupdict()
            topic, value = _trim(parts.get("topic") or ""), (parts.get("value") or "").strip()
            if topic or value:
                return TopicSplit(topic=topic, value=value)
    return TopicSplit(topic=_trim(told), value="")


def _trim(text: str) -> str:
    plain = text.strip(" ,.;:")
    while (shorter := _ARTICLE.sub("", plain)) != plain:
        plain = shorter
    return " ".join(plain.split()[:LONGEST])


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    # Compiled when first asked for: a command that compares nothing pays nothing.
    return tuple(
        re.compile(each, re.IGNORECASE)
        for each in (
            rf"^(?:{_WHO}\s*)?{_HELP}(?:switch|move|migrate|change|convert|moved|switched)\s+(?:the\s+)?(?P<topic>(?!to\b|from\b|away\b).+?)\s+(?:over\s+)?to\s+(?P<value>.+)$",
            r"^(?P<topic>.+?)\s+(?:is|are)\s+what\s+(?P<value>.+)$",
            r"^(?P<value>.+?)\s+(?:is|are)\s+(?:what|how|the\s+\w+|our\s+\w+)\s+(?:we|that)\s+(?:use|do|take|want|have|agreed\s+on|write|run)\s*(?:for\s+)?(?P<topic>.*)$",
            rf"^for\s+(?P<topic>[^,]+?),?\s+{_WHO}\b\s*(?P<value>.+)$",
            rf"^in\s+(?P<topic>[^,]+?),?\s+(?:{_WHO}|use)\b\s*(?P<value>.+)$",
            rf"^(?:{_WHO}\s*)?{_HELP}{_PICK}\s+(?P<value>.+?)(?:\s+{_TO}\s+(?P<topic>.+))?$",
            rf"^{_WHO}\b\s*{_HELP}\w+\s+(?P<topic>.+?)(?:\s+(?P<value>{_AT}\b.*))?$",
            rf"^(?P<topic>.{{2,60}}?)\s+(?P<value>{_IS}\b.*)$",
            rf"^[a-z]+\s+(?P<topic>.+?)\s+(?P<value>{_AT}\b.*)$",
            r"^(?P<value>\S+)\s+(?:for|as)\s+(?P<topic>.+)$",
        )
    )
