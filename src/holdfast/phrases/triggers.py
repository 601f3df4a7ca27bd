"""What a user's message holds that must not be lost: corrections, decisions, priorities, values and their like.

Precision goes before recall: a question, a guess, somebody else's words or pasted text never counts. The patterns are
data (`patterns.py`); each is compiled when a sentence holds one of its cues, and kept for the life of the process.
"""

import re
from collections.abc import Iterable
from functools import cache

from holdfast.core.value import Value
from holdfast.core.word_lists import split_phrases
from holdfast.phrases.phrase_tables import (
    FILLERS,
    HEDGES,
    OWN,
    PATTERNS,
    QUESTIONS,
    REPORTED,
    VERBS,
    Pattern,
    expand_regex,
)
from holdfast.phrases.prose import mask_quotes
from holdfast.phrases.typed_words import typed_sentences

QUOTE_LIMIT = 300
_MOST = 40
_HEAD = 3
_ARTICLES = split_phrases("the |a |an |our |my |just |das |die |der |den |le |la |les |l'|el |los |las |un |une |una ")
_TAGS = split_phrases(
    ", ok?|, okay?| ok?| okay?|, please?|, yes?|, alright?|, ja?|, d'accord?|, d'accord ?|, vale?|，好吗？|,好吗?"
)
# A statement of fact or of mood may hold "if", "could" and the like without being a guess.
_Cue = tuple[str, list[int]]
_Pair = tuple[tuple[str, ...], int]
_FIRM = frozenset(("blocker", "value", "failure", "assumption", "fact"))


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
    reason: str = ""


class TriggerReader:
    """Patterns, ready to be tried on many sentences: each is looked up by its cues."""

    __slots__ = ("_cues", "_pairs", "_patterns", "_short")

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(patterns)
        # By the first letters of each cue: a text holds few of them, and the others need not be looked for.
        self._cues: dict[str, dict[str, list[int]]] = {}
        self._short: dict[str, list[int]] = {}
        self._pairs: list[_Pair] = []
        for number, pattern in enumerate(self._patterns):
            for cue in pattern[4]:
                if "&" in cue:
                    self._pairs.append((tuple(cue.split("&")), number))
                else:
                    found = self._short if len(cue) < _HEAD else self._cues.setdefault(cue[:_HEAD], {})
                    found.setdefault(cue, []).append(number)

    def read(self, sentence: str) -> list[Trigger]:
        """What must not be lost of one sentence: at most one statement and one value."""
        return self.read_all([sentence])[0]

    def read_all(self, several: list[str]) -> list[list[Trigger]]:
        """What must not be lost of each sentence of a message: its cues are looked for in all of them at once."""
        (found,) = read_with_readers(several, self)
        return found

    def look(self, several: list[str], lows: list[str], there: str, letters: set[str]) -> list[list[Trigger]]:
        """What is found in sentences; `there` is all of them as they are matched, `letters` every few letters of it."""
        heads = self._cues.keys() & letters
        likely = [self._short, *(self._cues[head] for head in heads)]
        cues = [(cue, numbers) for several_cues in likely for cue, numbers in several_cues.items() if cue in there]
        pairs = [(parts, number) for parts, number in self._pairs if all(part in there for part in parts)]
        if not cues and not pairs:
            return [[] for _ in several]
        return [self._read(sentence, low, cues, pairs) for sentence, low in zip(several, lows, strict=True)]

    def _read(self, sentence: str, low: str, cues: list[_Cue], pairs: list[_Pair]) -> list[Trigger]:
        start = _after_fillers(low)
        rest = low[start:]
        numbers = {number for cue, several in cues if cue in rest for number in several}
        numbers.update(number for parts, number in pairs if all(part in rest for part in parts))
        cued = [self._patterns[number] for number in sorted(numbers)]
        matches = [(pattern, match) for pattern in cued if (match := _match(pattern, rest)) is not None]
        if not matches or _is_question(rest, {pattern[2] for pattern, _ in matches}):
            return []
        firm = [(pattern, match) for pattern, match in matches if not _is_doubtful(pattern, match, rest)]
        found = []
        for values in (False, True):
            same = [pair for pair in firm if (pair[0][1] == "value") is values]
            if same:
                pattern, match = max(same, key=lambda pair: pair[0][3])
                found.append(_trigger(pattern, match, sentence, start))
        return found


def read_with_readers(several: list[str], *readers: TriggerReader) -> list[list[list[Trigger]]]:
    """What each of some readers finds in each sentence of a message."""
    lows = [mask_quotes(sentence) for sentence in several]
    there = "\n".join(lows)
    letters = {there[at : at + _HEAD] for at in range(len(there) - _HEAD + 1)}
    return [each.look(several, lows, there, letters) for each in readers]


@cache
def load_reader() -> TriggerReader:
    """The reader of the patterns of every language."""
    return TriggerReader(PATTERNS)


def find_triggers(text: str) -> tuple[Trigger, ...]:
    """What must not be lost of a user's message, in its order: at most one statement and one value per sentence.

    Of the words that the user typed themselves; what they pasted says nothing.
    """
    found: dict[tuple[str, str], Trigger] = {}
    for triggers in load_reader().read_all(typed_sentences(text)):
        for trigger in triggers:
            found.setdefault((trigger.kind, trigger.quote), trigger)
        if len(found) >= _MOST:
            break
    return tuple(found.values())


def _match(pattern: Pattern, rest: str) -> re.Match[str] | None:
    _, _, language, _, _, regex, _ = pattern
    match = _pattern(regex, language).search(rest)
    verb = match.groupdict().get("verb") if match else None
    return None if verb is not None and verb not in VERBS[language] else match


@cache
def _pattern(regex: str, language: str) -> re.Pattern[str]:
    return re.compile(expand_regex(regex, language))


@cache
def _compile_regex(regex: str) -> re.Pattern[str]:
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


def _is_question(rest: str, languages: set[str]) -> bool:
    """Whether the sentence is a question; "…, ok?" at the end of an order is none."""
    tag = next((tag for tag in _TAGS if rest.endswith(tag)), "")
    if not tag and rest.rstrip("\"')!… ").endswith(("?", "？")):
        return True
    body = rest.removesuffix(tag)
    return any(_compile_regex(QUESTIONS[language]).search(body) for language in languages)


def _is_doubtful(pattern: Pattern, match: re.Match[str], rest: str) -> bool:
    """Whether the words up to the match make it a guess, or somebody else's."""
    _, kind, language, *_ = pattern
    said = rest[: match.end()]
    if _compile_regex(REPORTED[language]).search(_compile_regex(OWN[language]).sub("", said)):
        return True
    if kind == "value" and _is_ordered(rest[: match.start()], language):
        return True
    if kind in _FIRM:
        return bool(_compile_regex(HEDGES[language]).search(rest[: match.start()]))
    return bool(_compile_regex(HEDGES[language]).search(said) or _is_taken_back(rest[match.end() :], language, kind))


def _is_ordered(before: str, language: str) -> bool:
    """Whether a value is part of what is to be made ("add a test that the limit is 3"), and so no fact."""
    return before.partition(" ")[0] in VERBS[language] and not any(mark in before for mark in ",;:–—")


def _is_taken_back(tail: str, language: str, kind: str) -> bool:
    """Whether what follows takes the statement back: "… if it is fast enough", "… maybe"."""
    last = tail.rstrip(".! ").rpartition(" ")[2]
    if last in ("maybe", "perhaps", "vielleicht", "peut-être", "quizás", "quizá"):
        return True
    return language == "en" and kind in ("decision", "architecture") and " if " in tail and "even if" not in tail


def _trigger(pattern: Pattern, match: re.Match[str], sentence: str, start: int) -> Trigger:
    name, kind, language, confidence, *_ = pattern
    groups = dict.fromkeys(("choice", "rejected", "name", "value", "reason"), "")
    for group, found in match.groupdict().items():
        base = group.rstrip("0123456789")
        if found is not None and base in groups:
            begin, end = match.span(group)
            words = sentence[start + begin : start + end]
            groups[base] = groups[base] or (words.strip() if base == "reason" else _tidy(words))
    return Trigger(
        kind=kind, quote=sentence[:QUOTE_LIMIT], language=language, pattern=name, confidence=confidence, **groups
    )


def _tidy(words: str) -> str:
    """A thing without its article, marks and trailing dots."""
    bare = words.strip().strip("`\"“”«»„「」'").rstrip(".,;:!。，").strip('`"“”«»„')
    low = bare.lower()
    article = next((article for article in _ARTICLES if low.startswith(article)), "")
    return bare[len(article) :].strip()
