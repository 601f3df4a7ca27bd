"""Whether a sentence of an instruction file binds (it orders, forbids or prefers something), or states a fact."""

import re

from holdfast.importers.foreign_text import strip_markdown

_VERBS = (
    "add|adhere|annotate|ask|assert|assume|attach|avoid|batch|be|branch|build|bump|cache|call|catch|cause|check|choose|clean"
    "|collapse|comment|commit|compare|confirm|consider|consult|copy|cover|create|declare|default|define|delete|describe|disable"
    "|document|don't|emphasi[sz]e|enable|ensure|escape|explain|export|expose|extend|fall back|favou?r|fix|focus|follow"
    "|format|generate|get|give|group|handle|hold|implement|import|include|inject|inline|install|isolate|keep|label|land"
    "|leave|let|limit|link|lint|list|load|log|look|make|mark|match|measure|mention|minimi[sz]e|mirror|mock|move|name"
    "|never|normali[sz]e|note|omit|open|organi[sz]e|parse|pass|pick|pin|place|prefer|prefix|preserve|prioriti[sz]e"
    "|propagate|propose|provide|pull|push|put|quote|raise|re-?run|re-?use|read|rebase|record|reference|refer|regenerate"
    "|register|reject|remove|rename|replace|report|request|resolve|restart|return|review|rewrite|run|sanitize|save|search"
    "|select|separate|set|show|skip|sort|specify|split|spread|squash|stage|start|stay|stick|stop|store|strip|take|tell"
    "|test|throw|treat|trim|try|type|update|upgrade|use|validate|verify|wait|warn|wrap|write"
)
_FILLERS = r"(?:(?:please|always|also|then|just|only|first|never|you|we|or|and|so|otherwise|instead)\s+)*"
_ORDERS = re.compile(rf"{_FILLERS}(?:{_VERBS})\b(?!\s*(?:[:=]|is\b|are\b|can\b))", re.IGNORECASE)
# "When you touch it, measure": a condition, then an order.
_AFTER_CONDITION = re.compile(
    r"(?:when|whenever|if|before|after|for|in|on|at|to|once|unless|until|while|where|with|without|inside|outside|as)\b"
    rf"[^.!?]{{2,200}}?(?:,|\s[—–-])\s+{_FILLERS}(?:{_VERBS})\b(?!\s+(?:is|are|can)\b)",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:must(?: not|n't)?|always"
    r"|(?<!will )(?<!would )never(?! (?:was|were|had|did|been|looked|worked|happened|used)\b)"
    r"|do not|don't|shall(?: not)?|forbidden|prohibited|mandatory|not allowed|under no circumstances|no exceptions"
    r"|may not|is required\b(?! to)|are required\b(?! to)|needs? to be|append-only"
    r"|ne jamais|toujours|niemals|immer|nunca|siempre)\b",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    r"\b(?:should(?:n't)?|ought to|prefer(?:red|s)?|avoid(?:ed|s)?|instead of|rather than|at all costs|needs? an?"
    r"|is for \w+(?: \w+)? only|(?:goes?|belongs?) in(?:to)?|discouraged|encouraged)\b|[;—–]\s+use\b",
    re.IGNORECASE,
)
# What a list says of all things of a kind is meant as an order there; in prose it only tells.
_OF_ALL = re.compile(r"(?:every|all|each|any|no|only)\s+\S", re.IGNORECASE)
_FACT = re.compile(
    r"\b(?:is|are|was|were|has|have|had|lives?|runs?|hides?|comes?|needs?|takes?|goes|expires?|returns?|means|cannot|can't"
    r"|can|does|doesn't|do not|lies|stays?|fails?|breaks?|expects?|requires?)\b"
)
_MARKED = re.compile(
    r"(?:critical|important|note|warning|caution|requirement|rule|remember|attention|danger|must|tip|nb)\s*[:!]\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^:`.!?]{1,60}?(?::|\s[-–—])\s+(?=\S)")
_THING = re.compile(r"\s*(?:[-*+]\s+)?(?:`[^`]*`|\*\*[^*]*\*\*|\[[^\]]*\]\([^)]*\))[^.!?]{0,60}?(?::|\s[-–—=→]+)\s")
_COMMAND = re.compile(r"(?:[^`]{0,80}?(?::|\s[-–—])\s*)?`[^`\s]+\s[^`]+`[\s.]*(?:\([^)]*\)|#.*)?\s*$")
FEWEST_FACT_WORDS = 5


def is_strict(text: str) -> bool:
    """Whether a sentence leaves no choice, wherever it stands."""
    return bool(_STRICT.search(_bare(text)))


def does_bind(text: str, *, listed: bool = False) -> bool:
    """Whether a sentence, or an item of a list, orders or forbids something."""
    words = _bare(text)
    if _STRICT.search(words) or _ORDERS.match(words) or _AFTER_CONDITION.match(words):
        return True
    if not listed:
        return bool(_PREFERS.search(words)) and not words.endswith("?")
    rest = words[label.end() :] if (label := _LABEL.match(words)) else ""
    return bool(
        _PREFERS.search(words)
        or _OF_ALL.match(words)
        or (rest and (_ORDERS.match(rest) or _AFTER_CONDITION.match(rest)))
    )


def states_fact(text: str) -> bool:
    """Whether an item of a list is a whole sentence that says how something is, and not what a named thing is for."""
    return (
        not _THING.match(text) and len(text.split()) >= FEWEST_FACT_WORDS and bool(_FACT.search(strip_markdown(text)))
    )


def is_command(text: str) -> bool:
    """Whether an item of a list only says what to type."""
    return bool(_COMMAND.fullmatch(text.replace("**", "").strip())) and " " in text.strip()


def _bare(text: str) -> str:
    """The words without marks, and without what only says how much they matter."""
    return _MARKED.sub("", strip_markdown(text), count=1).strip(" :*>-") if text else ""
