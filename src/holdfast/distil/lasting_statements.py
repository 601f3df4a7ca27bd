"""What a user says that holds beyond the task: rules, preferences, facts, assumptions, and what they tried in vain."""

import re

from holdfast.core.memory import Memory, MemoryType
from holdfast.core.word_lists import word_set
from holdfast.distil.decisions import is_decision
from holdfast.distil.episodes import Episode
from holdfast.distil.make_candidate import build_candidate, find_paths, learning_category, make_title, strip_fillers
from holdfast.distil.reasons import find_reasons
from holdfast.distil.user_words import UserSentence
from holdfast.phrases.triggers import Trigger
from holdfast.records.tool_steps import files_of

# Of several things that a sentence says, the first of these counts.
_ORDER = ("failure", "assumption", "invariant", "preference", "correction", "architecture", "fact", "value", "priority")
_FORBIDS = word_set(
    "en.dont-use en.stop-doing en.i-said de.kein fr.ne-pas es.no-uses zh.bie en.dont-ever en.dont-want en.no-x"
)
_RULES = word_set(
    "en.arch-must en.arch-no-may en.arch-belongs en.arch-put en.every-must de.architektur fr.archi es.arquitectura"
)
_VALUES = word_set("en.url en.port en.version en.id en.path de.wert fr.valeur es.valor zh.zhi")
# Priorities that say how work is done here; the others say what to do next.
_PRIORITIES = word_set("en.more-important en.x-over-y en.first-later en.must-have en.prioritize")
_FLEETING = re.compile(
    r"\b(?:yet|for now|right now|this time|today|tomorrow|until|anymore|once|again|just now|for the moment|at the "
    r"moment|"
    r"in this (?:commit|pr|function|line|step)|this (?:change|commit|one|file|run)|that (?:change|commit|file|line)|"
    r"so far|last (?:week|time)|yesterday|noch nicht|jetzt|heute|diesmal|erstmal|pas encore|maintenant|aujourd'hui|"
    r"todavía|ahora|hoy|esta vez)\b",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"^(?:(?:please|always|never|and|but|don't|do not|so|from now on|going forward)[, ]+)*(?:\w+ )?(?:it|this|that|"
    r"them|"
    r"these|those|him|her|es|das|ça|eso|esto)(?:[.!,]|$| (?:is|was|way|one)\b)",
    re.IGNORECASE,
)
# Of the person, not of the work: "I'm hoping to … going forward", "I love trying different beers".
_PERSONAL = re.compile(
    r"\bi(?:'m|'ll|'ve| am| will| was| have| hope)\b(?!.*\bprefer\b)|\bi love\b|\bi(?:'d| would) prefer to (?:study|"
    r"eat|stay)",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:never|don't ever|do not ever|niemals|nie|jamais|nunca|jamás)\b|不要|永远不", re.IGNORECASE
)  # fmt: skip
_ALWAYS_FIRST = re.compile(r"^(?:please )?(?:always|immer|toujours|siempre)\b", re.IGNORECASE)
# What outlives a task when it must not be touched; "don't change the signature" does not say so.
_STANDING = re.compile(
    r"\b(?:generated|vendored?|third[- ]party|migrations?|lock ?files?|public api|prod|production|database|secrets?|"
    r"credentials|master|main|dependenc\w+|mocks?|print|globals?|any|new|legacy|comments?|docstrings?|emojis?|unwrap|"
    r"bare except|sleep|orm|in (?:the |this )?(?:tests?|repo|codebase|code|production|prod|commits?)|generiert\w*|"
    r"abhängigkeit\w*|kommentare|générés?|dépendances?|commentaires|dependencias|generad[oa]s?|pruebas|"
    r"comentarios)\b|`any`",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"^(?:no[,.!;:]? |please |but |and |just |so |hey,? )*(?:don't|do not|dont) (?:ever )?(?:commit|push|merge|run|"
    r"start|do|"
    r"deploy|guess|assume|invent|break|worry|bother|forget|make|rebase|squash|multiply)\b",
    re.IGNORECASE,
)
_EPHEMERAL = re.compile(
    r"\b(?:branch|ticket|issue|jira|pr|pull request|commit|tag|deadline|zweig|rama|branche)\b", re.IGNORECASE
)
_SETS = re.compile(
    r"^(?:please |then |now |and )*(?:set|use|pin|bump|upgrade|downgrade|lock|target|push|create|work on|make|change|"
    r"put|"
    r"check|i moved|i put|moved)\b",
    re.IGNORECASE,
)
# A name of the code base or of a tool: a fact without one tells nothing.
_CODED = re.compile(
    r"`[^`]+`|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b[\w.-]+/[\w./-]*|\b[\w-]+\.(?:py|ts|js|toml|yaml|yml|json|sh|sql|md|go|"
    r"rs)\b|"
    r"(?<=\s)[A-Z][A-Za-z0-9+]{2,}\b|\d|\benv(?:ironment)? var|\brestarted\b|\brebuilt\b",
    re.ASCII,
)
_HERE = re.compile(r"\b(?:here|in these tests|these tests|in this file|this module|hier|ici|aquí)\b", re.IGNORECASE)
_COUNT = re.compile(r"\b(\d{1,2}) ?(?:times|x|×|mal|fois|veces)\b")
_TIMES = {
    "twice": 2, "two times": 2, "three times": 3, "four times": 4, "five times": 5, "six times": 6, "zweimal": 2,
    "dreimal": 3, "deux fois": 2, "trois fois": 3, "dos veces": 2, "tres veces": 3,
}  # fmt: skip
_NO_CAUSE = re.compile(
    r"^(?:it |that )?(?:didn't|doesn't|did not|does not|never|won't|hasn't|not) (?:seem to |really )?(?:work|"
    r"help)(?:ed)?"
    r"(?: for (?:me|us)| well| at all| either| here)*$",
    re.IGNORECASE,
)
_REMEMBER_TO = re.compile(r"^(?:and |but |also )?(?:please )?remember to\b", re.IGNORECASE)
_I_SAID = re.compile(
    r"^(?:no[,.!]? |but |as |like )*i (?:already |explicitly |clearly |just )?(?:said|told you|asked for|asked "
    r"you)(?: that|"
    r" to)?[,:]? (?P<rule>(?:no|never|always|don't|do not|only)\b.+)$",
    re.IGNORECASE,
)
_SURE_WITHOUT_CAUSE = 0.6


def find_standing(one: UserSentence, before: list[Episode]) -> Memory | None:
    """What a sentence says that holds, as a candidate; nothing where a decision was read off it or it does not last."""
    lasting = [trigger for trigger in one.triggers if trigger.kind == "correction" or not is_decision(trigger)]
    for kind in _ORDER:
        for trigger in lasting:
            if trigger.kind == kind and (memory := _candidate_of(one, trigger, before)) is not None:
                return memory
    return None


def count_times(text: str) -> int:
    """How often, as a sentence says it; once, when it does not."""
    low = text.lower()
    counted = _COUNT.search(low)
    if counted:
        return max(1, int(counted[1]))
    return next((number for words, number in _TIMES.items() if words in low), 1)


def _candidate_of(one: UserSentence, trigger: Trigger, before: list[Episode]) -> Memory | None:
    match trigger.kind:
        case "failure":
            return _failure(one, trigger)
        case "assumption":
            return _sentence_candidate(
                MemoryType.ASSUMPTION, one, trigger, title=make_title(trigger.choice or one.text)
            )
        case "invariant":
            return _rule(one, trigger)
        case "preference":
            return _preference(one, trigger)
        case "correction":
            return _correction(one, trigger, before)
        case "architecture" if trigger.pattern in _RULES:
            return _rule(one, trigger)
        case "fact" if _CODED.search(one.text[1:]):
            return _fact(one, trigger)
        case "value" if trigger.pattern in _VALUES:
            return _value(one, trigger)
        case "priority" if trigger.pattern in _PRIORITIES:
            return _sentence_candidate(MemoryType.PATTERN, one, trigger, category="preference", confidence=0.6)
    return None


def _rule(one: UserSentence, trigger: Trigger) -> Memory | None:
    if _FLEETING.search(one.text):
        return None
    return _sentence_candidate(MemoryType.INVARIANT, one, trigger, title=make_title(trigger.choice or one.text))


def _preference(one: UserSentence, trigger: Trigger) -> Memory | None:
    text = one.text.lower().replace("from now on", "")
    if _FLEETING.search(text) or _UNCLEAR.match(one.text) or _PERSONAL.search(one.text):
        return None
    if trigger.pattern == "en.remember" and not _REMEMBER_TO.match(one.text):
        return _fact(one, trigger)
    forbids = _NEVER.search(one.text) and not _ALWAYS_FIRST.match(strip_fillers(one.text))
    if trigger.pattern == "en.no-x" or (forbids and trigger.pattern != "en.whenever"):
        return _sentence_candidate(MemoryType.INVARIANT, one, trigger)
    return _sentence_candidate(MemoryType.PATTERN, one, trigger, category="preference")


def _correction(one: UserSentence, trigger: Trigger, before: list[Episode]) -> Memory | None:
    if trigger.pattern not in _FORBIDS or _FLEETING.search(one.text) or _ONE_OFF.match(one.text):
        return None
    if trigger.pattern == "en.i-said":
        said = _I_SAID.match(one.text)
        return (
            _sentence_candidate(MemoryType.INVARIANT, one, trigger, title=make_title(said["rule"]), tags=_TAG)
            if said
            else None
        )
    if not _STANDING.search(one.text) or _is_vague(trigger.rejected):
        return None
    if trigger.pattern == "en.stop-doing":
        return _sentence_candidate(MemoryType.PATTERN, one, trigger, category="preference", tags=_TAG)
    near = files_of(before[-1].steps)[:3] if before and _HERE.search(one.text) else ()
    paths = find_paths(one.text) or near
    return _sentence_candidate(
        MemoryType.INVARIANT, one, trigger, tags=_TAG, confidence=0.7 if near else 0.75, paths=paths
    )


_TAG = ("correction",)


def _fact(one: UserSentence, trigger: Trigger) -> Memory | None:
    text = strip_fillers(one.text)
    if _FLEETING.search(text) or re.match(r"(?:it|this|that|they|these|those|i|you)\b(?! keep)", text, re.IGNORECASE):
        return None
    words = make_title(text)
    return _sentence_candidate(
        MemoryType.LEARNING, one, trigger, category=learning_category(text), title=words, fact=words
    )


def _value(one: UserSentence, trigger: Trigger) -> Memory | None:
    if not trigger.name or _EPHEMERAL.search(trigger.name) or _SETS.match(strip_fillers(one.text)):
        return None
    return _fact(one, trigger)


def _failure(one: UserSentence, trigger: Trigger) -> Memory | None:
    thing, sure = trigger.choice, round(trigger.confidence, 2)
    cause = re.sub(r"^(?:it|that|this|they) ", "", trigger.reason.strip(" .!"), flags=re.IGNORECASE)
    if not thing or re.match(r"(?:it|this|that|your|my)\b", thing, re.IGNORECASE):
        return None
    if _NO_CAUSE.match(cause):
        cause, sure = "", _SURE_WITHOUT_CAUSE
    return build_candidate(
        MemoryType.FAILURE,
        one.turn,
        one.text,
        title=make_title(f"{thing}: {cause or 'did not work'}"),
        body=one.text,
        context=thing,
        root_cause=cause,
        attempts=count_times(one.text),
        confidence=sure,
        paths=find_paths(one.text),
    )


def _sentence_candidate(kind: MemoryType, one: UserSentence, trigger: Trigger, **fields: object) -> Memory:
    """A candidate whose title, unless it is given, is the sentence."""
    why = find_reasons(one.text, one.after, "\0", ())
    more = f" {one.after}" if why.rationale and why.rationale not in one.text else ""
    given = {
        "title": make_title(one.text),
        "body": one.text + more,
        "paths": find_paths(one.text),
        "confidence": round(trigger.confidence, 2),
    }
    return build_candidate(kind, one.turn, one.text, **(given | fields))


def _is_vague(thing: str) -> bool:
    """Whether what must not be done is done to "that": nobody else would know to what."""
    return bool(re.match(r"(?:it|this|that|them|these|those|anything|everything)\b", thing, re.IGNORECASE))
