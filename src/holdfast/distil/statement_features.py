"""A user's sentence as numbers: what can be told from its words, its form, and where it stands.

The words of a project are not among them: names, paths and numbers count as such, whatever they are.
"""

import math
import re
from collections.abc import Iterator

from holdfast.core.value import Value
from holdfast.distil.episodes import Episode
from holdfast.distil.user_words import UserSentence, typed_text
from holdfast.phrases.triggers import Trigger

Features = dict[str, float]

_URL = re.compile(r"https?://\S+")
_PATH = re.compile(r"(?:\.{1,2}|~)?/[\w./-]+|\b[\w-]+/[\w./-]+")
_CODE = re.compile(
    r"`[^`]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b[\w-]+\.(?:go|py|rs|rb|java|kt|md|ts|tsx|js|json|toml|ya?ml|db|sql|sh)\b|"
    r"--[a-z][\w-]+"
)
_WORD = re.compile(r"CODE|URL|PATH|[a-z]+(?:['’][a-z]+)?|\d+|[?!]")
_TASK = re.compile(
    r"^(?:ok(?:ay)?|yes|yeah|yup|no|so|and|then|now|also|please|just|can you|could you|let's|lets|go ahead and|first|"
    r"next|[,.!: ])*(add|address|change|check|commit|compare|consider|continue|create|delete|describe|do|double|"
    r"explain|figure|find|fix|give|implement|investigate|list|look|make|merge|move|open|proceed|push|put|read|rebase|"
    r"refactor|remove|rename|review|run|see|show|start|summari[sz]e|tell|test|think|try|update|verify|write)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"\b(?:can|could|would|will) (?:you|we)\b|\?\s*$", re.IGNORECASE)
_ASK = re.compile(
    r"^(?:ok(?:ay)?|so|and|but|hm+|wait|[,.! ])*(?:can|could|would|should|is|are|do|does|did|what|why|how|where|which|"
    r"who|when|any|have|has|isn't|aren't|don't|shouldn't)\b",
    re.IGNORECASE,
)
_NORM = re.compile(
    r"\b(?:should|must|need to|needs to|have to|never|always|only|instead|rather|not|don't|no)\b", re.IGNORECASE
)
_WE = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)
_I_WANT = re.compile(r"\bI (?:think|want|don't|like|prefer|would)\b|\bI'd\b")
_BECAUSE = re.compile(r"\b(?:because|since|cause|so that|in order)\b", re.IGNORECASE)
_DEICTIC = re.compile(r"\b(?:it|this|that|them|these|those|here|there)\b", re.IGNORECASE)
# Words that stand before a sentence and change nothing of how it begins.
_OPENERS = re.compile(
    r"^(?:(?:ok|okay|so|and|but|yes|yeah|no|also|well|hm+|k|y|yup|actually|then|now)[ ,.!]+)*", re.IGNORECASE
)
# A sentence about a thing ("the target has …", "lore.db stays …"), not about who speaks or listens.
_OF_A_THING = re.compile(
    r"^(?:(?:the|a|an|all|each|every|any|our|no|only|both) )?(?:[\w`./~-]+ ){1,5}?(?P<verb>is|are|was|were|should|must|"
    r"shall|can|can't|cannot|could|will|won't|would|need|needs|has|have|had|does|doesn't|do|don't|may|might|"
    r"stays?|goes|"
    r"go|comes?|lives?|belongs?|gets?|uses?|runs?|works?|takes?|returns?|fails?|breaks?|requires?|supports?|ignores?|"
    r"means?|seems?|looks?)\b",
    re.IGNORECASE,
)
_OF_SOMEBODY = re.compile(
    r"^(?:i|you|we|it|this|that|these|those|they|he|she|there|here|let's|lets|what|which|who|how|why|when|where|if|can|"
    r"could|would|should|do|does|did|is|are|please|just)\b",
    re.IGNORECASE,
)
_ASKS_FIRST = re.compile(
    r"^(?:what|why|how|where|which|who|when|can|could|would|is|are|do|does|did|have|has)\b", re.IGNORECASE
)
# What a sentence does, by words that every project has.
MARKS = {
    "stressed": re.compile(
        r"\b(?:NOT|NO|DON'?T|ONLY|NEVER|ALWAYS|MUST|ALL|WON'?T|ISN'?T|CAN'?T|IS|DO|DOES|CAN|NEED|SHOULD|WANT|"
        r"CARE|EVERY|"
        r"JUST|SAME)\b"
    ),
    "names what was shown": re.compile(r"\b(?:that|this|those|these) [a-z]+", re.IGNORECASE),
    "does something to it": re.compile(
        r"\b(?:add|remove|drop|fix|turn|do|use|put|move|make|change|update|get|take|rename|revert|run|try|see|check|"
        r"look at|keep|read|write|apply|implement|commit|ship) (?:it|this|that|these|those|them)\b",
        re.IGNORECASE,
    ),
    "hedges": re.compile(
        r"\b(?:i think|i guess|maybe|perhaps|seems?|probably|presumably|basically|kind of|sort of|might|wondering)\b",
        re.IGNORECASE,
    ),
    "said before": re.compile(
        r"\b(?:we|i) (?:already |just )?(?:said|decided|agreed|told|discussed|settled|want|wanted|asked)\b",
        re.IGNORECASE,
    ),
    "wide": re.compile(
        r"\b(?:in general|generally|normally|usually|everywhere|anywhere|across|project|repo|codebase|users?|"
        r"customers?|"
        r"providers?|release|production|prod|default|whenever|each time|any time|only when|except|unless|no longer|"
        r"anymore|from now on)\b",
        re.IGNORECASE,
    ),
    "contrasts": re.compile(r"\b(?:not|rather than|instead of|over|no longer|vs)\b", re.IGNORECASE),
    "compares": re.compile(
        r"\b(?:better|worse|simpler|faster|cheaper|cleaner|easier|more|less|too|overkill|enough|same)\b", re.IGNORECASE
    ),
    "gives a cause": re.compile(
        r"\b(?:because|since|cause|cuz|so (?:that|we|it)|otherwise|in order to|that way|due to|as it|which means)\b",
        re.IGNORECASE,
    ),
    "a fault": re.compile(
        r"\b(?:broken|wrong|fails?|failing|error|crash\w*|bug|missing|stale|out of date|doesn't work|not working|isn't|"
        r"no good|stuck|hangs?|slow)\b",
        re.IGNORECASE,
    ),
    "about the agent": re.compile(r"\byou(?:'re|'ve)?\b", re.IGNORECASE),
    "points to a place": re.compile(r"\b(?:here|there|above|below)\b", re.IGNORECASE),
    "past": re.compile(r"\b(?:\w+ed|was|were|did|had|ran|saw|got|went|made)\b"),
}
_BULLET = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_REFERENCE = re.compile(r"#\d+|\b(?:item|issue|finding|point|step)s? \d", re.IGNORECASE)
_SHOUTED = re.compile(r"\b[A-Z]{3,}\b")
_OPTIONS = re.compile(r"(?m)^\s*(?:\d[.)]|[-*]?\s*\*?\*?(?:Option|[A-D])\b)")
PLACES = (
    "prompt length", "long prompt", "document", "sentences", "place", "alone", "first prompt", "after a question",
    "after options", "asked before",
)  # fmt: skip
_TAIL = 1500
_QUESTION_TAIL = 200
_LONGEST_COUNTED = 40
_LONG = 35
_LONG_PROMPT, _DOCUMENT = 700, 2000


class StatementContext(Value):
    """Where a sentence stands: its place among those of the prompt, the prompt's length, and the answer before it."""

    place: int = 0
    count: int = 1
    prompt_length: int = 0
    first_prompt: bool = False
    before: str = ""
    answer: str = ""


def read_statement_features(episode: Episode, *, first: bool = False) -> Iterator[tuple[UserSentence, Features]]:
    """Every sentence of an episode's prompt with its features. `first`: nothing was said before."""
    answer = episode.before.text if episode.before else ""
    said = ["", *(one.text for one in episode.sentences)]
    for place, one in enumerate(episode.sentences):
        context = StatementContext(
            place=place, count=len(episode.sentences), prompt_length=len(typed_text(one.turn)), first_prompt=first,
            before=said[place], answer=answer,
        )  # fmt: skip
        yield one, read_features(one.text, one.triggers, context)


def opens_with_statements(episode: Episode) -> bool:
    """Whether a session opens with a prompt that states, and asks for no work and no answer."""
    said = [one.text for one in episode.sentences]
    return episode.before is None and not any(_TASK.match(text) or _REQUEST.search(text) for text in said)


def split_words(text: str) -> list[str]:
    """The words of a sentence in small letters; names, paths, addresses and numbers as such."""
    plain = _PATH.sub(" PATH ", _URL.sub(" URL ", text))
    plain = _CODE.sub(" CODE ", plain)
    lowered = " ".join(
        part if part in ("CODE", "PATH", "URL") else part.lower() for part in re.split(r"\b(CODE|PATH|URL)\b", plain)
    )
    return ["NUM" if word.isdigit() else word.replace("’", "'") for word in _WORD.findall(lowered)]


def read_features(text: str, triggers: tuple[Trigger, ...], context: StatementContext) -> Features:
    """Every feature of a sentence that is not zero, by its name."""
    words = split_words(text)
    found: Features = {f"w:{word}": 1.0 for word in words}
    found |= dict.fromkeys(_read_triggers(triggers), 1.0)
    found |= dict(_read_form(text, words))
    found |= dict(_read_marks(text))
    found |= dict(_read_place(context))
    return {name: value for name, value in found.items() if value}


def _read_triggers(triggers: tuple[Trigger, ...]) -> Iterator[str]:
    for trigger in triggers:
        yield "trigger"
        yield f"t:{trigger.kind}"
        yield f"p:{trigger.pattern}"


def _read_form(text: str, words: list[str]) -> Iterator[tuple[str, float]]:
    count = len(words)
    yield "length", min(count, _LONGEST_COUNTED) / 20
    yield "short", float(count <= 3)
    yield "long", float(count > _LONG)
    yield "question", float(text.rstrip().endswith("?"))
    yield "ends in colon", float(text.rstrip().endswith(":"))
    yield "shouted", float(_SHOUTED.search(text) is not None)
    yield "deictic first", float(_DEICTIC.match(text) is not None)
    task = _TASK.match(text)
    if task is not None:
        yield "task", 1.0
        yield f"task:{task[1].lower()}", 1.0
    for name, pattern in (
        ("asks", _ASK), ("norm", _NORM), ("we", _WE), ("i want", _I_WANT), ("because", _BECAUSE),
        ("deictic", _DEICTIC), ("code", _CODE), ("path", _PATH), ("bullet", _BULLET), ("reference", _REFERENCE),
    ):  # fmt: skip
        found = pattern.match(text) if name in ("asks", "bullet") else pattern.search(text)
        yield name, float(found is not None)
    yield "dash", float("—" in text)
    yield "markup", float("**" in text)


def _read_marks(text: str) -> Iterator[tuple[str, float]]:
    """What a sentence is about, and what it does."""
    begun = text[_begin(text) :]
    somebody = _OF_SOMEBODY.match(begun)
    thing = None if somebody else _OF_A_THING.match(begun)
    if somebody:
        yield f"of:{somebody[0].lower()}", 1.0
    if thing:
        yield "of a thing", 1.0
        yield f"thing:{thing['verb'].lower()}", 1.0
    for name, pattern in MARKS.items():
        yield name, float(pattern.search(text) is not None)
    yield "asks first", float(_ASKS_FIRST.match(begun) is not None)
    yield "trails off", float(text.rstrip().endswith(("...", "…")))


def _begin(text: str) -> int:
    """Where a sentence begins, behind "ok, so" and the like."""
    found = _OPENERS.match(text)
    return found.end() if found else 0


def _read_place(context: StatementContext) -> Iterator[tuple[str, float]]:
    yield "prompt length", math.log1p(context.prompt_length) / 6
    yield "long prompt", float(context.prompt_length > _LONG_PROMPT)
    yield "document", float(context.prompt_length > _DOCUMENT)
    yield "sentences", min(context.count, 15) / 10
    yield "place", context.place / (context.count - 1) if context.count > 1 else 0.0
    yield "alone", float(context.count == 1)
    yield "first prompt", float(context.first_prompt)
    yield "after a question", float("?" in context.answer.rstrip()[-_QUESTION_TAIL:])
    yield "after options", float(_OPTIONS.search(context.answer[-_TAIL:]) is not None)
    yield "asked before", float(context.before.rstrip().endswith("?"))
