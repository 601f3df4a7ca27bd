"""A sentence of a rule → what it turns down, where it holds, and where it does not. Words only; nothing is guessed.

Read are sentences that say no ("never call time.sleep in httpx/ code"), that leave one place ("only src/db talks
SQL"), and that put one thing in the place of another ("use httpx instead of requests").
"""

import itertools
import re
from collections.abc import Iterator

from holdfast.core.value import Value, replace
from holdfast.core.word_lists import word_set

LONGEST = 400
MOST_SENTENCES = 6
MOST_THINGS = 8
_ENDS = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[\w`\"'(*@])|\n\s*\n|\n\s*[-*]\s+|;\s+")
_BECAUSE = re.compile(
    r"\s*(?:[,;(–—:-]\s*)?\b(?:because|since|as it|as they|so that|so|which|otherwise|to (?:keep|avoid|make|be|stay|"
    r"prevent|"
    r"ensure|let|allow)|for (?:the sake|reasons)|it (?:is|was|would|breaks|makes|leaks|hides)|they (?:are|break|leak|"
    r"make|hide)|that (?:breaks|is)|even (?:if|when|though)|ever|please|at all|anymore|any more|any longer|once|after|"
    r"without|when|if|until|while|before|as a|as part of|like|such as)\b.*$",
    re.IGNORECASE,
)
_NO = (
    r"(?:(?:must|should|may|can|will|shall) never|never|(?:do|does|did|must|may|can|could|should|shall|will|would|is|"
    r"are)(?: not|n't|n’t)"
    r"(?: ever| to)?|cannot|can't|mustn't|avoid|no longer|not to|(?:have |has )?stopped|stop|quit|refuse to|ban|"
    r"forbid|prohibit|"
    r"we (?:don't|do not|never|avoid|banned|forbid)|(?:not|never) (?:allowed|permitted|supposed|meant) to)"
)
_VERBS = (
    r"(?:directly\s+|ever\s+|use\s+or\s+)?(?P<verb>call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|us(?:e|es|ed|ing)|"
    r"import(?:s|ed|ing)?(?:\s+from)?|"
    r"depend(?:s|ed|ing)?\s+(?:up)?on|rel(?:y|ies|ied|ying)\s+on|pull(?:s|ed|ing)?\s+in|bring(?:s|ing)?\s+in|"
    r"add(?:s|ed|ing)?|introduc(?:e|es|ed|ing)|install(?:s|ed|ing)?|requir(?:e|es|ed|ing)|talk(?:s|ing)?(?:\s+to)?|"
    r"speak(?:s|ing)?(?:\s+to)?|touch(?:es|ed|ing)?|access(?:es|ed|ing)?|hit(?:s|ting)?|reach(?:es)?(?:\s+out\s+to)?|"
    r"open(?:s|ed|ing)?|mak(?:e|es|ing)|do(?:es)?|issu(?:e|es|ing)|run(?:s|ning)?|execut(?:e|es|ed|ing)|spawn(?:s|ed|"
    r"ing)?|"
    r"writ(?:e|es|ing|ten)|emit(?:s|ted)?|contain(?:s|ed|ing)?|hav(?:e|ing)|has|put|plac(?:e|ed|ing)|creat(?:e|es|ed|"
    r"ing)|"
    r"commit(?:s|ted|ting)?|check(?:ed)?\s+in|edit(?:s|ed|ing)?|modif(?:y|ies|ied|ying)|chang(?:e|es|ed|ing)|"
    r"alter(?:s|ed)?|delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|read(?:s|ing)?|log(?:s|ged|ging)?|print(?:s|ed|ing)?|"
    r"leav(?:e|es|ing)|ship(?:s|ped)?|allow(?:s|ed)?|permit(?:s|ted)?|know(?:s)?(?:\s+(?:of|about))?|mock(?:s|ed|ing)?|"
    r"panic(?:s)?|exit(?:s)?|poll(?:s)?|eval(?:s)?|rais(?:e|es|ed)|throw(?:s|n)?|return(?:s|ed)?|catch(?:es|ing)?|"
    r"swallow(?:s)?|sleep(?:s|ing)?|block(?:s)?|"
    r"go(?:es)?\s+to|go(?:es)?\s+through|construct(?:s)?|instantiat(?:e|es|ed)|build(?:s)?|shell(?:s)?\s+out(?:\s+to)?|"
    r"includ(?:e|es|ed)|stor(?:e|es|ed)|set|declar(?:e|es|ed)|export(?:s|ed)?|merg(?:e|ed)|skip(?:s|ped)?|disabl(?:e|"
    r"es|ed))"
)
# Where something holds, and where it does not.
_OUTSIDE = re.compile(
    r"\s*,?\s*\b(?:outside(?:\s+of)?|except(?:\s+(?:for|in|inside|within|from|under))?|other than(?:\s+in)?|"
    r"anywhere (?:but|except|else than|other than)(?:\s+in)?|apart from(?:\s+in)?|aside from|unless (?:in|inside|"
    r"it is in)|"
    r"but not in|only(?:\s+(?:in|inside|within|from|under|through|via))|besides)\s+(?P<place>[^,;]+)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\s*,?\s*\b(?:anywhere in|any file in|in|inside(?:\s+of)?|within|under|below|from|across|throughout|at|into|"
    r"to)\s+(?P<place>[^,;]+)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*(?:,\s*(?:or|and|nor)\s+|,\s*|\s+(?:or|nor|and)\s+)", re.IGNORECASE)
_ARTICLES = re.compile(
    r"^(?:(?:the|a|an|any|all|new|your|our|more|another|further|extra|additional|raw|plain|bare|direct|directly|such|"
    r"old|legacy|former|global|"
    r"calls? to|use of|uses of|usage of|imports? (?:of|from)|something like|things like)\s+)+",
    re.IGNORECASE,
)
_SORT = re.compile(
    r"\s+(?:library|libraries|package|packages|module|modules|framework|client|sdk|crate|gem|dependency|dependencies|"
    r"calls?|statements?|function|functions|method|methods|api|imports?|expressions?|comments?|directly|itself|here|"
    r"anywhere|again|in code|code|by hand|manually)$",
    re.IGNORECASE,
)


class PlainRule(Value):
    """What a sentence turns down. `things`: as they are written; `only`: it may be at `outside` alone.

    `subject`: who must not do it ("tests never …"). `instead`: it stands for something else, `things` for the old one.
    """

    verb: str
    things: tuple[str, ...]
    subject: str = ""
    within: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    instead: str = ""
    requires: bool = False


def read_sentence(sentence: str, apart: tuple[str, ...] = ()) -> Iterator[tuple[PlainRule, ...]]:
    """What a sentence turns down: the ways to read it, the one that takes most of it first; then its later clauses.

    `apart`: places that its text leaves out.
    """
    said = _LISTED.sub(_name_listed, sentence)
    whole = [said, *(said[:cut] for cut in reversed([found.start() for found in _CLAUSE.finditer(said)]))]
    clauses = [said[start:end].strip(" ,;:()—–") for start, end in split_clauses(said)][1:]
    for parts in (whole, *([clause] for clause in clauses)):
        ways = [rule for part in parts if (rule := _read_form(part)) is not None and rule.things]
        yield tuple(dict.fromkeys(complete_rule(rule, said, apart) for rule in ways))


# "Debug helpers (var_dump, dd) must never …": what is meant stands between the brackets.
_LISTED = re.compile(
    r"(?:\b[\w-]+\s+){0,3}\((?:(?:e\.g\.|like|such as|i\.e\.),?\s+)?((?:`?[\w.$:>-]+(?:\(\))?`?,\s*(?:and\s+|"
    r"or\s+)?)+`?[\w.$:>-]+(?:\(\))?`?)(?:,?\s*(?:etc\.?|…|and so on))?\)"
)


def _name_listed(found: re.Match[str]) -> str:
    named = re.split(r",\s*(?:and\s+|or\s+)?", found[1])
    return ", ".join(f"`{each.strip('`')}`" for each in named)


def find_exceptions(text: str) -> Iterator[str]:
    """Places that a text leaves out: "except crates/ffi", "tests may use them"."""
    for pattern in (_EXCEPT, _MAY):
        yield from (_drop_reason(found["place"]).rstrip(".,") for found in pattern.finditer(text))


def split_sentences_of_rule(text: str) -> list[str]:
    """The sentences of a rule, each on one line."""
    return [" ".join(part.split())[:LONGEST] for part in _ENDS.split(text) if part.strip()][:MOST_SENTENCES]


def split_clauses(sentence: str) -> Iterator[tuple[int, int]]:
    """Where each clause of a sentence begins and ends."""
    edges = [0, *(found.start() for found in _CLAUSE.finditer(sentence)), len(sentence)]
    yield from itertools.pairwise(edges)


def complete_rule(rule: PlainRule, sentence: str, apart: tuple[str, ...]) -> PlainRule:
    """A rule with the place that another clause of its sentence names, and with what the text leaves out."""
    if rule.subject.lower() in {"there", "it", "they"}:
        rule = replace(rule, subject="")
    held = {place.strip("` ") for place in (*rule.within, *rule.outside)}
    named = [
        found["place"] for found in _AT_PATH.finditer(sentence) if not (rule.within or rule.outside or rule.requires)
    ]
    inside = tuple(place for place in named if place.strip("` ") not in held and place not in " ".join(rule.things))
    outside = tuple(place for place in apart if place.strip("` ") not in held and place not in rule.subject)
    return replace(rule, within=(*rule.within, *inside), outside=(*rule.outside, *outside))


def _read_form(sentence: str) -> PlainRule | None:
    said = _LEADS.sub("", sentence).strip().rstrip(".!")
    said = re.sub(r"\*\*|__(?=\w)|(?<=\w)__", "", said)
    for form in (
        _read_only, _read_nowhere_else, _read_nobody_but, _read_through, _read_together, _read_required,
        _read_kept_out, _read_instead,
        _read_free, _read_stay_away, _read_denied, _read_banned, _read_bare_no,
    ):  # fmt: skip
        rule = form(said)
        if rule is not None:
            return rule
    return None


# Where a clause ends: what follows is a reason, another rule, or what to do in its place.
_CLAUSE = re.compile(
    r"\s*;\s+|\s+[—–]\s+|:\s+|\s+\((?=[^)]*\s[^)]*\))|,\s+(?=(?:use|instead|because|since|so|the|we|it|they|that|this|"
    r"these|which|"
    r"where|he|there|no|nothing|nobody|never|don't|do not|add|return|prefer|write|put|call|go|and|but|as|final|native|"
    r"tests?|"
    r"a|an|all|each|every|code|not by)\b)",
    re.IGNORECASE,
)
_PLACE = (
    r"(?:(?:the |any |all |our )?`?(?:[\w.@*-]+/)[\w.@*/{},-]*`?|`?[\w-]+\.(?:ts|tsx|js|py|go|rs|rb|java|kt|php|"
    r"cs|toml|json|ya?ml|md|sql|sh)`?|tests?(?: code)?|the tests|scripts?|migrations|docs)"
)
_EXCEPT = re.compile(
    rf"\b(?:except(?:\s+(?:for|in|inside|within|from|under))?|other than(?:\s+in)?|outside(?:\s+of)?|apart from|"
    rf"aside from|"
    rf"unless (?:in|inside)|but not in)\s+(?P<place>{_PLACE})",
    re.IGNORECASE,
)
_MAY = re.compile(
    rf"(?:^|[.;,(]\s+)(?:only\s+)?(?:(?:the\s+)?\w+(?:\s+\w+)?\s+in\s+)?(?P<place>{_PLACE})\s+(?:may|can|are allowed|"
    rf"is allowed|are free|is free|are fine|is fine|"
    rf"are exempt|is exempt|are excluded|is the exception)\b(?!\s+(?:not|never|only))",
    re.IGNORECASE,
)
_AT_PATH = re.compile(
    r"\b(?:in|under|inside|within|below|throughout|out of)\s+(?P<place>`?(?:[\w.@*-]+/)[\w.@*/{},-]*`?)", re.IGNORECASE
)
# Other ways to say "do not use".
_STAY_AWAY = re.compile(
    r"^(?:(?:please|always|we|you|they|i)\s+)*(?:stay(?:ed|ing)? (?:away|clear) (?:of|from)|steer(?:ed)? clear of|"
    r"keep away from|get(?:ting)? rid of|got rid of|"
    r"(?:have |has )?(?:dropped|ditched|abandoned|retired|banned|outlawed|moved off|moved away from|moved on from|"
    r"gave up on|given up on|phased out|"
    r"said goodbye to|removed)|do without|go without|did away with|do away with|resist|shun|skip|ditch|drop|"
    r"refrain from(?: using)?|abstain from|"
    r"(?:there (?:is|are|must be|should be) )?no (?:more|room for|place for|need for|excuse for|use of|calls? to|"
    r"direct)|zero|hands off|keep your hands off|"
    r"not a single|say no to|leave out|without(?: any)?)\s+(?:using\s+)?(?P<rest>.+)$",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^(?:(?:decision|rule|invariant|important|remember|note|convention|policy|constraint|warning|always remember|"
    r"we decided(?: that)?|we agreed(?: that)?|please)\s*[:,-]?\s+)+",
    re.IGNORECASE,
)
_ONLY = re.compile(
    rf"^only\s+(?:the\s+)?(?:code\s+(?:in|under|inside)\s+|modules?\s+(?:in|under)\s+|files?\s+(?:in|"
    rf"under)\s+)?(?P<place>.+?)\s+"
    rf"(?:may|can|should|is allowed to|are allowed to|must|shall|gets? to|ever|"
    rf"is permitted to)?\s*{_VERBS}\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_SOLE = re.compile(
    rf"^(?P<place>.+?)\s+(?:is|are|remains?)\s+the\s+(?:only|sole|single|one)\s+(?:place|module|package|file|folder|"
    rf"directory|layer|part|code|one)s?"
    rf"\s*(?:that|which|where|to|allowed to|we)?\s*(?:we\s+)?(?:may|can|should|is allowed to|"
    rf"are allowed to)?\s*{_VERBS}\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_BELONGS = re.compile(
    r"^(?:all|every|any)?\s*(?P<rest>.+?)\s+(?:(?:may|can|should|must|is|are|belongs?|lives?|stays?|happens?|goes?|"
    r"may be used|is allowed|"
    r"are allowed|is used|are used|used|be used|be imported|be called|be made|imported|called|may appear|appears?|"
    r"be)\s+)+"
    r"(?P<only>only|exclusively|nowhere but)\s+(?:be\s+)?(?:(?:used|imported|called|made|allowed|done|written|"
    r"accessed|created)\s+)?"
    r"(?:in|inside|within|from|under|by|at|through|via|below)\s+(?P<place>.+)$",
    re.IGNORECASE,
)
_THROUGH = re.compile(
    r"^(?:(?:all|every|any)\s+)?(?P<rest>.+?)\s+(?:must\s+|should\s+|has to\s+|have to\s+)?(?:goes?|go|pass(?:es)?|"
    r"runs?|"
    r"be made|be done|happens?|lives?|belongs?|is (?:made|done)|are (?:made|done)|stays?)\s+"
    r"(?:only\s+)?(?:through|via|by|in|inside|within|from)\s+(?P<place>.+)$",
    re.IGNORECASE,
)


_DENIAL = re.compile(r"\b(?:not|never|no|nobody|nothing|cannot|\w+n't)\b", re.IGNORECASE)


def _read_only(said: str) -> PlainRule | None:
    """`only src/db talks SQL`; `SQL is used only in src/db`."""
    found = _ONLY.match(said) or _SOLE.match(said)
    if found:
        return _make(found["verb"], found["rest"], outside=(found["place"],))
    found = _BELONGS.match(said)
    return _make("use", found["rest"], outside=(found["place"],)) if found and not _DENIAL.search(said) else None


_NOWHERE_ELSE = re.compile(
    r"^(?:all|every|any)?\s*(?P<rest>.+?)\s+(?:(?:may|can|must|should|is|are|be|lives?|belongs?|sits?|stays?|allowed|"
    r"called|used|read|"
    r"made|imported|written|accessed|created|defined|fine|ok|okay|permitted|acceptable|meant|reserved)\s+)+(?:only\s+)?"
    r"(?:in|inside|within|from|under|by|at|through|via|to|for)\s+(?P<place>.+?)"
    r"(?:,?\s+(?:and|but)?\s*(?:nowhere else|in no other \w+|not elsewhere|nothing else|from nowhere else|"
    r"no other \w+)\b.*|\s+(?:only|alone|exclusively))$|"
    r"^(?P<thing>.+?)\s+(?:is|are)\s+(?:only|just|reserved|exclusively)\s+(?:meant\s+|"
    r"allowed\s+)?for\s+(?P<home>`?[\w.@*/-]*/[\w.@*/-]*`?)$",
    re.IGNORECASE,
)


def _read_nowhere_else(said: str) -> PlainRule | None:
    """`process.env is read in config.ts and nowhere else`; `fetch is only for src/api`."""
    found = _NOWHERE_ELSE.match(said)
    if not found or re.search(r"\b(?:never|must not|\w+n't)\b", said, re.IGNORECASE):
        return None
    return _make("use", found["rest"] or found["thing"], outside=(found["place"] or found["home"],))


def _read_through(said: str) -> PlainRule | None:
    """`all HTTP goes through app/http.py`."""
    found = _THROUGH.match(said)
    return _make("use", found["rest"], outside=(found["place"],)) if found and not _DENIAL.search(said) else None


_NOBODY_BUT = re.compile(
    rf"^(?:nobody|nothing|no one|no (?:code|module|file|place|other \w+)s?)\s+(?:but|except|other than|"
    rf"outside(?: of)?|besides)\s+(?P<place>\S+(?:\s+and\s+\S+)?)\s+"
    rf"(?:may\s+|should\s+|must\s+|can\s+|ever\s+|is allowed to\s+)*{_VERBS}\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_KEPT_OUT = re.compile(
    r"^(?:please\s+)?(?:keep\s+(?P<kept>.+?)\s+(?:out of|away from)|(?P<thing>.+?)\s+(?:do not|does not|don't|doesn't|"
    r"have no place|has no place|"
    r"must not|should not|shouldn't|shall not|may not|cannot|can't|mustn't|won't|never|has no business|"
    r"have no business)\s*(?:belong|appear|live|be|occur|go|"
    r"show up)?\s+(?:in|inside|under))\s+(?P<place>.+)$",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"(?:^|\s)(?:we're|we are|this \w+ is|is|are|stays?|keep it|remains?)\s+(?P<name>[\w@./-]+?)-free\b", re.IGNORECASE
)
_TOGETHER = re.compile(
    r"\b(?:when(?:ever)?|if|every time|any(?: new)? change(?:s)?|every change|each change|changes?|a change|"
    r"each new \w+|every new \w+|new \w+s?|any new \w+|edits?|touching|"
    r"whoever (?:changes|touches))\b",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\b(?:same (?:pr|commit|pull request|change)|as well|too|also|along ?side|together|needs?|must|has to|have to|"
    r"requires?|comes? with|"
    r"goes with|with (?:a|an)|update|bump|add)\b",
    re.IGNORECASE,
)
_WRITTEN_PATH = re.compile(
    r"`?((?:[\w.@*<>-]+/)[\w.@*/{}<>,-]*|[A-Z]{4,}(?:\.\w+)?|[\w-]+\.(?:md|json|ya?ml|toml|lock|sql|prisma|proto))`?"
)


def _read_nobody_but(said: str) -> PlainRule | None:
    """`nobody but src/config.ts reads process.env`."""
    found = _NOBODY_BUT.match(said)
    return _make(found["verb"], found["rest"], outside=(found["place"],)) if found else None


def _read_kept_out(said: str) -> PlainRule | None:
    """`keep SQL out of src/ui`; `unwrap() does not belong in library code`."""
    found = _KEPT_OUT.match(said)
    return _make("use", f"{found['kept'] or found['thing']} in {found['place']}") if found else None


def _read_stay_away(said: str) -> PlainRule | None:
    """`stay away from eval`; `we dropped moment`."""
    found = _STAY_AWAY.match(said)
    return _make("use", found["rest"]) if found else None


def _read_free(said: str) -> PlainRule | None:
    """`we are lodash-free`."""
    found = _FREE.search(said)
    return PlainRule(verb="use", things=(f"{found['name']} library",)) if found else None


def _read_together(said: str) -> PlainRule | None:
    """`when the schema changes, a migration has to come with it`: two places, the second with every change of the"""
    """first."""
    if not (_TOGETHER.search(said) and _ALSO.search(said)):
        return None
    paths = [found[1].rstrip(".,") for found in _WRITTEN_PATH.finditer(said)]
    if len(paths) != 2:
        return None
    verb = "add" if re.search(r"\bnew (?!line|entry)\w+s?\b", said[: said.find(paths[1])], re.IGNORECASE) else "change"
    also = re.sub(r"[\w.-]*<\w+>[\w.-]*", "*", paths[1])
    return PlainRule(verb=verb, things=(also,), within=(paths[0],), requires=True)


_NAME = r"[`'\"]?[\w@][\w.@/+:#()-]*[`'\"]?(?:\s+(?:[A-Z]\w*|\d\w*))?"
_INSTEAD = re.compile(
    rf"\b(?:use|using|uses|pick|picked|choose|chose|prefer|import|call|"
    rf"with)\s+(?:the\s+)?(?P<new>{_NAME})\s*(?:for [^,;]{{1,60}}?)?,?\s*"
    rf"(?:instead of|rather than|in place of|over|and not|but not|not|never|,\s*never|,\s*not)\s+(?:using\s+|the\s+|"
    rf"use\s+|with\s+|calling\s+)?(?P<old>[^;]+)$",
    re.IGNORECASE,
)
_TURNED = re.compile(
    rf"^(?:replace|swap|migrate (?:away )?from|move (?:away )?from|drop|switch from|replaced|swapped|"
    rf"dropped)\s+(?P<old>{_NAME})\s*"
    rf"(?:(?:with|by|for|to|in favou?r of)\s+(?P<new>.+))?$",
    re.IGNORECASE,
)


_NEVER_OLD = re.compile(
    rf"^(?P<new>[^,]+?)(?:\s+for [^,]+)?,\s*(?:never|not)\s+(?P<old>{_NAME}(?:,? (?:or|and) {_NAME})*)(?:,?\s+(?:in|"
    rf"for)\s+.+)?$",
    re.IGNORECASE,
)


def _read_instead(said: str) -> PlainRule | None:
    """`use httpx instead of requests`; `replace moment with date-fns`."""
    found = _INSTEAD.search(said)
    if found and not re.match(rf"(?i).*\b{_NO}\b.*\b(?:use|using)\b", said[: found.start() + 3]):
        return _make("use", found["old"], instead=found["new"], subject=said[: found.start()])
    found = _TURNED.match(said) or _NEVER_OLD.match(said)
    return _make("use", found["old"], instead=found["new"] or "") if found else None


_REQUIRED = re.compile(
    r"^(?:(?:every|each|all|any)\s+)?(?P<place>.+?)\s+(?:must\s+|should\s+|has to\s+|have to\s+|"
    r"needs? to\s+)?(?:(?:start(?:s)? with|begin(?:s)? with|open(?:s)? with)\s+(?:the\s+|"
    r"a\s+)?(?P<first>[^`,;]{6,60}$)|"
    r"(?:start(?:s)? with|begin(?:s)? with|contain(?:s)?|include(?:s)?|declare(?:s)?|have|has|carr(?:y|ies)|set(?:s)?|"
    r"use(?:s)?)\s+(?:the\s+|a\s+|an\s+)?[^`]{0,40}`(?P<text>[^`]+)`)",
    re.IGNORECASE,
)
_COMES_WITH = re.compile(
    r"^(?:every|each|all|any|a)\s+(?:changes?|edits?|modifications?|new files?)\s+(?:to|in|of|"
    r"under)\s+(?P<place>.+?)\s+"
    r"(?:must\s+|should\s+|has to\s+|needs to\s+)?(?:also\s+)?(?:updates?|changes?|touch(?:es)?|comes? with(?: (?:a|"
    r"an))?(?: (?:change|update|entry))?(?: (?:to|in|of))?|"
    r"needs?(?: (?:a|an))?(?: (?:change|update|entry))? (?:to|in|of)|adds? (?:a|an) (?:line|entry|note) (?:to|"
    r"in))\s+(?:the\s+)?(?P<also>[^,;]+)",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"^(?:(?:always\s+)?keep\s+|never\s+(?:delete|remove)\s+|(?:do not|don't)\s+(?:delete|remove)\s+|"
    r"there must (?:always )?be (?:a|an)\s+)?(?P<path>`?[\w./*-]*[\w*]\.\w{1,5}`?|`[^`\s]+`)"
    r"(?P<stays>\s+(?:must|has to|should|always)\s+(?:always\s+)?(?:exists?|be there|stays?|remain(?:s)?|"
    r"never be (?:deleted|removed)).*)?$",
    re.IGNORECASE,
)


def _read_required(said: str) -> PlainRule | None:
    """`every shell script starts with ...`; `every change to src/ updates CHANGELOG.md`; `keep docs/api.md`."""
    found = _REQUIRED.match(said)
    if found and not _DENIAL.search(said):
        return PlainRule(
            verb="contain", things=(found["text"] or found["first"].strip(),), within=(found["place"],), requires=True
        )
    found = _COMES_WITH.match(said)
    if found:
        return PlainRule(verb="change", things=(_trim(found["also"]),), within=(found["place"],), requires=True)
    found = _STAYS.match(said)
    if found and (found["stays"] or not said.startswith(found["path"])):
        return PlainRule(verb="keep", things=(found["path"].strip("`"),), requires=True)
    return None


_DENIED = re.compile(rf"^(?P<subject>.*?)\s*\b{_NO}\s+(?:be\s+)?{_VERBS}(?:\s+(?P<rest>.+))?$", re.IGNORECASE)
_PASSIVE = re.compile(
    r"^(?P<rest>.+?)\s+(?:is|are|must|may|can|should|will)\s*(?:never|not|n't)\s+(?:be\s+|to be\s+)?(?P<verb>used|"
    r"called|imported|"
    r"allowed|permitted|edited|modified|changed|touched|committed|added|installed|introduced|written|altered|"
    r"checked in|"
    r"invoked|accepted|welcome|mocked|skipped)\b(?:\s+(?:by hand|manually|directly))?(?P<after>.*)$",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    rf"^(?:nobody|nothing|no one|no (?:code|module|file|test|package|part|layer)s?)\s*(?P<subject>.*?)\s+(?:may|"
    rf"should|must|can|ever|is allowed to|else)?\s*(?:ever\s+)?{_VERBS}\s+(?P<rest>.+)$",
    re.IGNORECASE,
)


def _read_denied(said: str) -> PlainRule | None:
    """`never call time.sleep in httpx/ code`; `generated files are never edited by hand`; `no module calls print`."""
    found = _PASSIVE.match(said)
    if found and not re.match(rf"(?i)^\s*{_NO}\b", said):
        return _make(found["verb"], f"{found['rest']}{found['after']}", passive=True)
    found = _NOBODY.match(said)
    if found:
        return _make(found["verb"], found["rest"], subject=found["subject"])
    found = _DENIED.match(said)
    if found and found["rest"] and re.match(r"(?:in|inside|under|within|from)\s", found["rest"]):
        return _make("use", f"{found['verb']} {found['rest']}", subject=found["subject"])
    if found and found["rest"]:
        return _make(found["verb"], found["rest"], subject=found["subject"])
    return _make(found["verb"], found["verb"], subject=found["subject"]) if found else None


_BANNED = re.compile(
    r"^(?:we\s+)?(?:(?P<rest>.+?)\s+(?:is|are)\s+(?:strictly\s+|completely\s+)?(?:banned|forbidden|prohibited|"
    r"disallowed|off[- ]limits|"
    r"out|not ok|not okay|never ok|taboo|a no-go|deprecated|off the table|dead|gone|a thing of the past|not an option|"
    r"no option)|(?:ban|forbid|avoid|banned|disallow|"
    r"prohibit)\s+(?P<object>.+))(?P<after>\s+.+)?$",
    re.IGNORECASE,
)
_BARE = re.compile(r"^(?P<subject>.{0,60}?)(?:^|\s|:\s*)no\s+(?P<rest>[^:]+)$", re.IGNORECASE)


def _read_banned(said: str) -> PlainRule | None:
    """`eval is forbidden`; `avoid default exports`."""
    found = _BANNED.match(said)
    if not found:
        return None
    return _make("use", f"{found['rest'] or found['object']}{found['after'] or ''}")


def _read_bare_no(said: str) -> PlainRule | None:
    """`no print statements in library code`; `no new runtime dependency`."""
    found = _BARE.match(said)
    if not found or (found["subject"] and len(found["subject"].split()) > 4):
        return None
    verb = (
        "add"
        if re.match(r"(?i)(?:new|more|extra|additional|further|third[- ]party|runtime|external)\b", found["rest"])
        else "use"
    )
    return _make(verb, found["rest"], subject=found["subject"])


_PARTICIPLE = re.compile(
    r"(?:edited|removed|changed|renamed|deleted|modified|rewritten|touched|moved|used|called|imported|added)",
    re.IGNORECASE,
)


def _make(
    verb: str,
    rest: str,
    *,
    subject: str = "",
    outside: tuple[str, ...] = (),
    instead: str = "",
    passive: bool = False,
) -> PlainRule:
    what = _drop_reason(rest)
    what, apart = _take(_OUTSIDE, what)
    what, inside = _take(_WITHIN, what)
    things = [thing for part in _SPLIT.split(what) if (thing := _trim(part)) and not _PARTICIPLE.fullmatch(thing)]
    return PlainRule(
        verb=_stem(verb), things=tuple(things[:MOST_THINGS]), subject=_drop_reason(subject).strip(" ,:"),
        within=tuple(inside), outside=(*map(_drop_reason, outside), *apart),
        instead=_trim(instead) if not passive else "",
    )  # fmt: skip


def _take(pattern: re.Pattern[str], text: str) -> tuple[str, list[str]]:
    """The text without what a pattern finds, and the places found; not inside back-ticks."""
    places: list[str] = []
    held = re.split(r"(`[^`]*`)", text)
    marked = "".join(part if at % 2 == 0 else f"`{at}`" for at, part in enumerate(held))

    def note(found: re.Match[str]) -> str:
        places.append(_unmark(found["place"], held))
        return ""

    left = pattern.sub(note, marked)
    return _unmark(left, held), places


def _unmark(text: str, held: list[str]) -> str:
    return re.sub(r"`(\d+)`", lambda found: held[int(found[1])], text)


def _drop_reason(text: str) -> str:
    """A text without its reason; a name in back-ticks may hold any word."""
    held = re.split(r"(`[^`]*`)", text)
    marked = "".join(part if at % 2 == 0 else f"`{at}`" for at, part in enumerate(held))
    return _unmark(_BECAUSE.sub("", marked), held).strip()


_RELATIVE = re.compile(
    r"\s+(?:that|which|who)\s+(?:is|are|was|were|has|have|do|does)\b.*$|"
    r"(?<=[`)])\s+(?:on|for|with|by|to|over|at|of)\s+(?:\w+\s*){1,6}$|\s+(?:or|and)\s+(?:\w+ed)$|"
    r"\s+(?:directly|any more|anymore|again|either|anywhere|at all|please|any longer)$",
    re.IGNORECASE,
)


_CODE_FIRST = re.compile(r"^(\S*(?:[._]\w|::|\w\(|[a-z][A-Z])\S*)\s+(?:on|for|with|by|to|over|at|of)\s+.+$")


def _trim(thing: str) -> str:
    """A thing without what stands before and behind it."""
    thing = _CODE_FIRST.sub(r"\1", _RELATIVE.sub("", thing))
    marks = " ,:;\"'“”" if "(" in thing else " ,:;\"'()“”"
    return _ARTICLES.sub("", thing.strip(marks).rstrip(".")).strip()


_LEMMAS = {"does": "do", "has": "have", "having": "have", "written": "write", "writing": "write", "running": "run"}


def _stem(verb: str) -> str:
    """The verb as it stands in a list: `depends on` is `depend`."""
    first = verb.lower().split()[0]
    if first in _LEMMAS:
        return _LEMMAS[first]
    for ending, put in (("ified", "ify"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if first.endswith(ending) and len(first) - len(ending) >= 2:
            stem = first[: -len(ending)] + put
            return next((each for each in (stem, f"{stem}e", stem[:-1]) if each in VERBS), stem)
    return first


VERBS = word_set(
    "call invoke use import depend rely pull bring add introduce install require talk speak touch access hit reach "
    "open "
    "make do issue run execute spawn write emit contain have put place create commit check edit modify change alter "
    "delete remove read log print leave ship allow permit know mock raise throw return catch swallow sleep block go "
    "construct instantiate build shell include store set declare export merge skip disable accept welcome"
)
