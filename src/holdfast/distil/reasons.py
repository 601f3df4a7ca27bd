"""Why: the reason that a sentence, or the one after it, gives for what was chosen or rejected."""

import re

from holdfast.core.value import Value
from holdfast.phrases.phrase_tables import VERBS
from holdfast.records.content_words import content_words

LONGEST = 200
_SHORT = 12
_BECAUSE = re.compile(
    r"(?:^|[\s,;(–—-])(?:because(?: of)?|since|cuz|so that|weil|denn|parce qu(?:e\s|')|puisque|car|porque|ya que|"
    r"puesto que|因为)\s*"
    r"|, (?:as|da) ",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*(?:[,;:]\s+(?!and\b)| [–—-] |\s\(|[.!]\s+)\s*")
# What is said of a subject; the first group goes, the second is the reason.
_SAID_OF = re.compile(
    r"^(?:(?:is|are|was|were|got|gets|has become|became|'s|ist|sind|war|est|sont|était|es|son|era|"
    r"resulta)\s+)?(?P<reason>.+)$",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(?:is|are|was|were|got|gets|has|have|had|became|needs?|can't|cannot|can|could|doesn't|don't|does|do|won't|"
    r"would|lacks?|"
    r"costs?|takes?|breaks?|leaks?|keeps?|supports?|works?|requires?|comes?|makes?|gives?|runs?|ist|sind|hat|kann|"
    r"braucht|"
    r"kostet|est|sont|a|ne|n'|peut|es|son|tiene|no|necesita|'s|[a-z]{3,}[^s\\W]s)\b",
    re.IGNORECASE,
)
_IT = re.compile(
    r"^(?:it|that|this|they|es|das|sie|c'|ça|il|elle|eso)(?='s|’s|\s|est)(?:'s|’s)?\s*", re.IGNORECASE
)  # fmt: skip
_PLAIN = re.compile(
    r"^(?:too|less|more|fewer|one less|one fewer|"
    r"no|nobody|everyone|everybody|simpler|faster|cheaper|easier|smaller|safer|better|we|our|"
    r"the team|"
    r"zu|weniger|mehr|kein|keine|niemand|wir|trop|moins|plus|on|personne|nous|demasiado|menos|más|nadie)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"^(?:the )?(?P<name>[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*| agent| server| client| plugin)?) (?:is|are|was|got|has "
    r"become|"
    r"became|gets)? ?(?P<reason>(?:(?:too|overkill|slow|expensive|unmaintained|deprecated|abandoned|buggy|dead|hard)\b|"
    r"costs? (?:too|a)|doesn't|does not|can't|cannot|lacks|needs|breaks|leaks).*)$"
)
_ORDER = re.compile(
    r"^(?:and|then|but|please|so|now|also|thanks|thank|ok|okay|let's|start|add|write|make|fix|use|put|run|do|go|und|"
    r"dann|bitte|"
    r"et|puis|y|luego|not|instead|rather)\b",
    re.IGNORECASE,
)


class Reasons(Value):
    """Why the choice was made; why other things were not, by name; and what a clause rejects that nobody named yet."""

    rationale: str = ""
    against: tuple[tuple[str, str], ...] = ()


def find_reasons(tail: str, after: str, choice: str, rejected: tuple[str, ...]) -> Reasons:
    """The reasons in what follows the choice in its sentence, and in the next sentence where it speaks of the same."""
    found = _reasons_in_clauses(tail, choice, rejected)
    if found.rationale or found.against or not after:
        return found
    return _reasons_in_next(after, choice, rejected)


def reasons_behind_pick(rest: str, choice: str, others: tuple[str, ...]) -> Reasons:
    """The reasons in what a user says after a pick: "…, less to run"."""
    words = _strip_reason(
        _BECAUSE.sub("", rest.strip(" ,.;:!–—-"), count=1) if _BECAUSE.match(f" {rest.strip(' ,.;:!–—-')}") else rest
    )
    if not words or _ORDER.match(words) or len(words.split()) < 2:
        return Reasons()
    return _attributed_reasons(words, choice, others) or Reasons(rationale=words)


def reasons_after_pick(after: str, choice: str, others: tuple[str, ...]) -> Reasons:
    """The reasons in the sentence after a pick: "background job. some tenants have millions of rows"."""
    found = find_reasons("", after, choice, others)
    first = after.split(" ", 1)[0].strip(",.").lower()
    if found != Reasons() or not after or after.rstrip().endswith("?") or _ORDER.match(after) or first in VERBS["en"]:
        return found
    return Reasons(rationale=_strip_reason(after)) if len(after.split()) <= _SHORT else Reasons()


def _reasons_in_clauses(tail: str, choice: str, rejected: tuple[str, ...]) -> Reasons:
    because = _BECAUSE.search(tail)
    if because:
        why = _strip_reason(tail[because.end() :])
        if len(why.split()) < 2:
            return Reasons()
        return _attributed_reasons(why, choice, rejected) or Reasons(rationale=why)
    for clause in _SPLIT.split(tail)[1:]:
        words = _strip_reason(clause)
        if not words or _ORDER.match(words):
            continue
        found = _attributed_reasons(words, choice, rejected)
        if found:
            return found
        if _PLAIN.match(words) and len(words.split()) > 1:
            return _unattributed_reasons(words, choice, rejected)
    return Reasons()


def _reasons_in_next(after: str, choice: str, rejected: tuple[str, ...]) -> Reasons:
    words = _strip_reason(after)
    if after.rstrip().endswith("?") or _ORDER.match(words):
        return Reasons()
    found = _attributed_reasons(words, choice, rejected)
    if found:
        return found
    if re.match(r"(?:too|because|zu|trop|demasiado|weil|less|no need|nobody)\b", words, re.IGNORECASE):
        return _unattributed_reasons(_strip_reason(_BECAUSE.sub("", f" {words}", count=1)), choice, rejected)
    return Reasons()


def _unattributed_reasons(words: str, choice: str, rejected: tuple[str, ...]) -> Reasons:
    """A reason without a subject: against what was rejected when nothing was chosen or it speaks against something."""
    if rejected and (not choice or re.match(r"(?:too|zu|trop|demasiado)\b", words, re.IGNORECASE)):
        return Reasons(against=tuple((one, words) for one in rejected[:1]))
    return Reasons(rationale=words)


def _attributed_reasons(words: str, choice: str, rejected: tuple[str, ...]) -> Reasons | None:
    """The reason of a clause whose subject is the choice, what was rejected, "it", or another name."""
    for option in rejected:
        if (rest := _said_of_option(words, option)) is not None:
            return Reasons(against=((option, rest),))
    if choice and (rest := _said_of_option(words, choice)) is not None:
        return Reasons(rationale=words)
    it = _IT.match(words)
    if it:
        rest = _clause_predicate(words[it.end() :])
        if not choice and rejected:
            return Reasons(against=((rejected[0], rest),))
        return Reasons(rationale=words)
    other = _OTHER.match(words)
    if other and choice and not rejected:
        return Reasons(against=((other["name"], other["reason"]),))
    return None


def _said_of_option(words: str, option: str) -> str | None:
    """What a clause says of an option, when the option is its subject."""
    low, name = words.lower(), option.lower()
    names = [name, name.split()[0] if name else ""]
    for one in names:
        for form in (one, f"the {one}", f"der {one}", f"le {one}", f"la {one}", f"el {one}"):
            if one and low.startswith(f"{form} ") and _VERB.match(words[len(form) + 1 :]):
                return _clause_predicate(words[len(form) + 1 :])
    subject = re.match(r"(?:the )?([\w.+#-]+) ", low)
    if (
        subject
        and content_words(subject[1])
        and content_words(subject[1]) <= content_words(option)
        and _VERB.match(words[subject.end() :])
    ):
        return _clause_predicate(words[subject.end() :])
    return None


def _clause_predicate(rest: str) -> str:
    found = _SAID_OF.match(rest.strip())
    return _strip_reason(found["reason"]) if found else _strip_reason(rest)


def _strip_reason(words: str) -> str:
    return words.strip().strip("()").strip(" ,.;:!–—-").strip()[:LONGEST]
