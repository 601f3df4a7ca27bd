"""How a decision is worded: its title, its question, what it is for."""

import re

from holdfast.core.word_lists import word_set
from holdfast.phrases.phrase_tables import VERBS

# What says nothing to somebody who was not there.
_VAGUE = re.compile(
    r"^(?:the |a |an |my |your |our |das |die |den |ça |eso |lo )*(?:it|that|this|these|those|them|that one|this one|"
    r"one|"
    r"ones|same|other|other one|others|second|first|third|last|latter|former|both|all|everything|above|option|approach|"
    r"variant|version|way|plan|idea|solution|(?:first|second|third|last) (?:one|option|approach|variant)|"
    r"(?:old|new|existing|simpler) (?:name|version|one|way|code)|suggestion|proposal|thing|rest|something else|"
    r"(?:option|plan|variant) [a-e\d]|andere|alte|neue|variante|autre|otro|otra)$",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^[^,;.!?]{0,40}?\b(?:for|für|pour|para) (?P<role>(?:the |our |all |die |das |den |la |le |les |el |los |las )?"
    r"[\w/ -]{2,40}?)(?=[.,;!(]|$| (?:because|since|and|with|in|on|so|not|instead|rather|but|as|weil|parce|porque)\b)",
    re.IGNORECASE,
)
_NO_ROLE = frozenset(
    (
        "now",
        "us",
        "that",
        "this",
        "it",
        "me",
        "everything",
        "the moment",
        "example",
        "all",
        "a start",
        "that one",
        "good",
    )
)
_SUPPORT = re.compile(
    r"\bsupport(?:ing)? for [^,;!]{2,40}?(?=[,;!]|\.?$|\.\s| because| since)", re.IGNORECASE
)  # fmt: skip
_DROPPING = re.compile(
    r"\b(drop|skip|ditch|abandon|avoid|remove|postpone|defer|deprecate|retire|park)(?:p?ing|ing)?\b", re.IGNORECASE
)
# What was decided for or against, in languages whose patterns only see that it was.
_DECIDED = re.compile(
    r"\b(?P<side>für|gegen) (?:den |die |das |ein |eine |einen )?(?P<de>[^,;.!]{2,50}?) (?:entschieden|geeinigt)\b|"
    r"\bdécidé (?:d'utiliser |de (?:garder|prendre|passer à) |d'adopter )(?:le |la |les |l')?(?P<fr>[^,;.!]{2,50}?)"
    r"(?=[,;.!]|$| (?:pour|parce|car|au lieu|plutôt)\b)|"
    r"\bdecidido (?:usar|utilizar|adoptar|quedarnos con|pasar a) (?:el |la |los |las )?(?P<es>[^,;.!]{2,50}?)"
    r"(?=[,;.!]|$| (?:para|porque|ya que|en vez|en lugar)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:the |our |my |final )*(?:decision|verdict|architecture|design|plan)(?: decision| rule| choice)?"
    r"(?: is(?: to)?|:| -| was to) ",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"^(?:instead of|rather than) [^,]+, ?(?:please |just |let's |lets |you should |we should |we'll "
    r")*(?P<clause>[^,;.!]+)",
    re.IGNORECASE,
)
_GERUNDS = {
    "moving": "move", "switching": "switch", "using": "use", "replacing": "replace", "adopting": "adopt",
    "keeping": "keep", "migrating": "migrate", "storing": "store", "splitting": "split",
}  # fmt: skip
# Things that stand for themselves in a title: "one file per writer" needs no "Use" before it.
_STANDS = word_set("use keep store no one a an the version put start experiment begin try build make")
_FEW = 2


def is_vague(thing: str) -> bool:
    """Whether a thing can be understood only by somebody who was there."""
    return bool(_VAGUE.match(thing))


def strip_article(words: str) -> str:
    """A thing without its article."""
    return re.sub(r"^(?:the |a |an )", "", words.strip(), flags=re.IGNORECASE)


def name_rejected(text: str, rejected: str) -> str:
    """What was rejected; of "support" also what for."""
    if rejected.lower() not in ("support", "supporting"):
        return strip_article(rejected)
    found = _SUPPORT.search(text)
    return found[0] if found else ""


def parse_decision(text: str) -> tuple[str, str]:
    """What a sentence says was decided for, and against."""
    found = _DECIDED.search(text)
    if not found:
        return "", ""
    named = (found["de"] or found["fr"] or found["es"]).strip()
    return ("", named) if (found["side"] or "").lower() == "gegen" else (named, "")


def find_role(text: str, chosen: str) -> str:
    """What a chosen thing is for, as the words after it say."""
    at = text.lower().find(chosen.lower()) if chosen else -1
    found = _ROLE.match(text[at + len(chosen) :]) if at >= 0 else None
    role = found["role"].strip() if found else ""
    return "" if role.lower() in _NO_ROLE else role


def infer_question(choice: str, rejected: tuple[str, ...], role: str) -> str:
    """The question a decision answers, inferred from what was chosen, rejected and meant."""
    if role and choice:
        return f"What to use for {role}?"
    if choice and rejected:
        return f"{choice} or {rejected[0]}?"
    return f"{capitalize_first(rejected[0])}: yes or no?" if rejected else ""


def choice_title(choice: str, rejected: str, role: str) -> str:
    """The title of a choice."""
    first = choice.split(" ", 1)[0].lower()
    stands = (first in _STANDS or first in VERBS["en"]) and len(choice.split()) > _FEW
    over = f" instead of {rejected}" if rejected else ""
    about = f" for {role}" if role and role.lower() not in f"{choice} {rejected}".lower() else ""
    return capitalize_first(f"{'' if stands else 'Use '}{choice}{over}{about}")


def rejection_title(text: str, rejected: str) -> str:
    """The title of what is not to be, with the verb as it was said."""
    verb = _DROPPING.search(text)
    if verb and not re.search(r"\bnot\b|won't", text[: verb.start()]):
        return f"{verb[1].capitalize()} {rejected}"
    doing = re.match(r"(?:support|use|do|add)\b", rejected, re.IGNORECASE)
    return f"Do not {rejected}" if doing else f"No {rejected}"


def instead_title(text: str, rejected: str) -> str:
    """The title of "instead of X, do Y"."""
    found = _INSTEAD.match(text)
    return capitalize_first(f"{found['clause'].strip()} instead of {rejected}") if found else ""


def strip_label(text: str) -> str:
    """A sentence without "Decision:" and the like before it."""
    return _LABEL.sub("", text)


def to_imperative(text: str) -> str:
    """ "moving the worker to processes, since …" as an order: "move the worker to processes"."""
    first, _, rest = text.partition(" ")
    return re.split(r",? (?:since|because|as it|so that)\b", f"{_GERUNDS.get(first.lower(), first)} {rest}")[0].strip()


def capitalize_first(words: str) -> str:
    """Words with a capital."""
    return words[:1].upper() + words[1:]
