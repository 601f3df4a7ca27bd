"""What a user's message holds that must not be lost: corrections, decisions, priorities, values and their like.

Precision goes before recall: a question, a guess, somebody else's words or pasted text never counts. The patterns are
data (`patterns.py`); each is compiled when a sentence holds one of its cues, and kept for the life of the process.
"""

import re
from collections.abc import Iterator
from functools import cache

from holdfast.capture.patterns import (
    FILLERS,
    HEDGES,
    OWN,
    PATTERNS,
    QUESTIONS,
    REPORTED,
    VERBS,
    Pattern,
    expanded,
    holds_cue,
)
from holdfast.capture.prose import masked, sentences
from holdfast.capture.words import phrases
from holdfast.domain.value import Value

QUOTE_LIMIT = 300
_MOST = 40
_ARTICLES = phrases("the |a |an |our |my |just |das |die |der |den |le |la |les |l'|el |los |las |un |une |una ")
_TAGS = phrases(
    ", ok?|, okay?| ok?| okay?|, please?|, yes?|, alright?|, ja?|, d'accord?|, d'accord ?|, vale?|，好吗？|,好吗?"
)
# A statement of fact or of mood may hold "if", "could" and the like without being a guess.
_FIRM = frozenset(("blocker", "value"))


class Trigger(Value):
    """A sentence of the user's that must stand in the working buffer before the agent goes on."""

    kind: str
    quote: str
    language: str
    pattern: str
    confidence: float
    choice: str = ""
    rejected: str = ""
    name: str = ""
    value: str = ""


def find_triggers(text: str) -> tuple[Trigger, ...]:
    """What must not be lost of a user's message, in its order: at most one statement and one value per sentence."""
    found: dict[tuple[str, str], Trigger] = {}
    for sentence in sentences(text):
        for trigger in _of_sentence(sentence):
            found.setdefault((trigger.kind, trigger.quote), trigger)
        if len(found) >= _MOST:
            break
    return tuple(found.values())


def _of_sentence(sentence: str) -> Iterator[Trigger]:
    low = masked(sentence)
    start = _after_fillers(low)
    rest = low[start:]
    matches = [(pattern, match) for pattern in PATTERNS if (match := _match(pattern, rest)) is not None]
    if not matches:
        return
    if _asks(rest, {pattern[2] for pattern, _ in matches}):
        return
    firm = [(pattern, match) for pattern, match in matches if not _doubtful(pattern, match, rest)]
    for values in (False, True):
        same = [pair for pair in firm if (pair[0][1] == "value") is values]
        if same:
            pattern, match = max(same, key=lambda pair: pair[0][3])
            yield _trigger(pattern, match, sentence, start)


def _match(pattern: Pattern, rest: str) -> re.Match[str] | None:
    if not holds_cue(rest, pattern):
        return None
    _, _, language, _, _, regex, _ = pattern
    match = _compiled(expanded(regex, language)).search(rest)
    verb = match.groupdict().get("verb") if match else None
    return None if verb is not None and verb not in VERBS[language] else match


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


def _after_fillers(low: str) -> int:
    """Where the sentence proper begins: after "ok, so" and the like."""
    at = 0
    while at < len(low):
        end = at
        while end < len(low) and (low[end].isalnum() or low[end] == "'"):
            end += 1
        if low[at:end] not in FILLERS:
            return at
        while end < len(low) and low[end] in " ,.!:–—-":
            end += 1
        at = end
    return 0


def _asks(rest: str, languages: set[str]) -> bool:
    """Whether the sentence is a question; "…, ok?" at the end of an order is none."""
    tag = next((tag for tag in _TAGS if rest.endswith(tag)), "")
    if not tag and rest.rstrip("\"')!… ").endswith(("?", "？")):
        return True
    body = rest.removesuffix(tag)
    return any(_compiled(QUESTIONS[language]).search(body) for language in languages)


def _doubtful(pattern: Pattern, match: re.Match[str], rest: str) -> bool:
    """Whether the words up to the match make it a guess, or somebody else's."""
    _, kind, language, *_ = pattern
    said = rest[: match.end()]
    if _compiled(REPORTED[language]).search(_compiled(OWN[language]).sub("", said)):
        return True
    if kind == "value" and _is_ordered(rest[: match.start()], language):
        return True
    if kind in _FIRM:
        return bool(_compiled(HEDGES[language]).search(rest[: match.start()]))
    return bool(_compiled(HEDGES[language]).search(said) or _hangs_on(rest[match.end() :], language, kind))


def _is_ordered(before: str, language: str) -> bool:
    """Whether a value is part of what is to be made ("add a test that the limit is 3"), and so no fact."""
    return before.partition(" ")[0] in VERBS[language] and not any(mark in before for mark in ",;:–—")


def _hangs_on(tail: str, language: str, kind: str) -> bool:
    """Whether what follows takes the statement back: "… if it is fast enough", "… maybe"."""
    last = tail.rstrip(".! ").rpartition(" ")[2]
    if last in ("maybe", "perhaps", "vielleicht", "peut-être", "quizás", "quizá"):
        return True
    return language == "en" and kind in ("decision", "architecture") and " if " in tail and "even if" not in tail


def _trigger(pattern: Pattern, match: re.Match[str], sentence: str, start: int) -> Trigger:
    name, kind, language, confidence, *_ = pattern
    groups = dict.fromkeys(("choice", "rejected", "name", "value"), "")
    for group, words in match.groupdict().items():
        base = group.rstrip("0123456789")
        if words is not None and base in groups:
            begin, end = match.span(group)
            groups[base] = groups[base] or _tidy(sentence[start + begin : start + end])
    return Trigger(
        kind=kind, quote=sentence[:QUOTE_LIMIT], language=language, pattern=name, confidence=confidence, **groups
    )


def _tidy(words: str) -> str:
    """A thing without its article, marks and trailing dots."""
    bare = words.strip().strip("`\"“”«»„「」'").rstrip(".,;:!。，").strip('`"“”«»„')
    low = bare.lower()
    article = next((article for article in _ARTICLES if low.startswith(article)), "")
    return bare[len(article) :].strip()
