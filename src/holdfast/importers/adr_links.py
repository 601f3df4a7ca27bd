"""What a decision record says of others: supersedes, superseded by, amends, and by which name."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from holdfast.importers.foreign_text import phrase_set
from holdfast.importers.import_values import SUPERSEDED_BY, SUPERSEDES, ImportLink
from holdfast.importers.markdown_outline import front_texts

AMENDS, AMENDED_BY, RELATED = "amends", "amended_by", "relates_to"
PART, PART_OF = "supersedes_partly", "superseded_partly_by"
REACH = 600
MOST_VERBS = 100
_SUPERSEDED = (
    r"(?:super[sc]e+ded|replaced|obsoleted|overridden|supplanted|remplacee?s?|ersetzt|reemplazad[oa])"
    r"(?:\s+(?:\w+\s+)?in\s+part|\s+partially|\s+partly|\s+entirely)?\s+(?:by|par|durch|por|with)"
    r"|(?:(?:deprecated|abandoned|dropped)\s+)?in\s+favou?r\s+of|super[sc]e+ded\s+(?:in|with)"
)
_VERBS = (
    (SUPERSEDED_BY, _SUPERSEDED),
    (AMENDED_BY, r"(?:amended|updated|extended|modified|clarified|complemented|refined|revised)\s+(?:by|in)"),
    (SUPERSEDES, r"super[sc]e+des?|replaces|obsoletes|revokes|reverts|overrides|remplace\b|ersetzt\s+(?!durch)"),
    (AMENDS, r"amends|amending|(?:this\s+)?updates\s+(?:some|the\s+content|part)|extends|clarifies|refines"),
)
_PATTERNS = tuple(
    (kind, re.compile(rf"(?<![A-Za-z-])(?:{words})(?![A-Za-z])", re.IGNORECASE)) for kind, words in _VERBS
)
_STATUS_VERB = re.compile(r"(?<![A-Za-z-])super[sc]e+ded(?!\s+(?:by|in|with)\b)(?![A-Za-z])", re.IGNORECASE)
_PLAIN = phrase_set("""
    the | a | an | adr | adrs | decision | decisions | record | records | previous | earlier | older | our |
    architecture | document | number | no | by | and | prior | now | both | of
""")
_PARTLY = re.compile(r"partial|partly|in part|parts? of|portion|some of|section|partiellement|teilweise", re.IGNORECASE)
_REFERENCES = re.compile(
    r"\[[^\[\]]{0,200}\]\(\s*<?([^()\s]{1,300}?)>?(?:\s+\"[^\"]*\")?\s*\)"  # [words](file)
    r"|\{\{<\s*(?:rel)?ref\s+\"([^\"]{1,200})\"\s*>\}\}"  # Hugo's ref
    r"|`[^`<>]{0,200}<([^`<>]{1,300})>`_"  # reStructuredText
    r"|(?:xref:|link:|:doc:`)([^\s\[`]{1,300})"
    r"|\b(?:ADRs?|decision|record|RFC|PDR|DR)[\s_#-]{0,3}0*(\d{1,5})\b"
    r"|(?<![\w/.#-])0*(\d{3,4})(?=[-\s,.:;)\]]|$)(?!-\d\d\b)"
    r"|([\w./-]{3,200}\.(?:md|rst|adoc))\b",
    re.IGNORECASE,
)
_OF_THIS = re.compile(
    r"(?:this|the present|current|ce|cette|diese[rs]?)\s+(?:adr|decision|record|document|proposal"
    r"|architecture|approach|rfc|one)?\W*(?:\w+\W+){0,4}$",
    re.IGNORECASE,
)
_LINE_START = re.compile(
    r"(?:^|\n)[\s>*_+#|-]*(?:\[?!?(?:note|update|warning|status|important|edit|info|deprecated"
    r"|superseded)\]?[\s:*_.!-]*)?(?:it\s+|has\s+been\s+|was\s+|is\s+|now\s+|been\s+|mostly\s+"
    r"|partially\s+|\d{4}-\d\d-\d\d:?\s*)*\W*$",
    re.IGNORECASE,
)
_AND = re.compile(r"[\s,;&*_()\[\]–—-]*(?:(?:and|et|und|y)\b)?[\s,;&*_()\[\]–—-]*(?:the\s+)?", re.IGNORECASE)
_END = re.compile(r"\n\s*\n|\n\s*[-*#|]|(?<=[a-z)\]])\.\s+(?=[A-Z])|;\s")
# Keys of a frontmatter, with `_` and spaces as `-`.
_KEYS = {
    "supersedes": SUPERSEDES,
    "replaces": SUPERSEDES,
    "superseded-by": SUPERSEDED_BY,
    "supersededby": SUPERSEDED_BY,
    "replaced-by": SUPERSEDED_BY,
    "supersedes-partial": PART,
    "amends": AMENDS,
    "amended-by": AMENDED_BY,
    "related": RELATED,
    "related-adrs": RELATED,
    "relates-to": RELATED,
    "depends-on": "depends_on",
}


def links_in_front(front: Mapping[str, Any]) -> Iterator[ImportLink]:
    """What the frontmatter says."""
    for key, value in front.items():
        kind = _KEYS.get(key.lower().replace("_", "-").replace(" ", "-"))
        for text in front_texts(value) if kind else ():
            names = list(find_references(text)) or [text]
            yield from (
                ImportLink(kind=kind or "", to=name)
                for name in names
                if name.lower() not in {"none", "null", "n/a", "-"}
            )


def links_in_status(text: str) -> Iterator[ImportLink]:
    """What a record's status says: there the bare word with a record behind it says it all."""
    yield from links_in_text(text, own=True)
    text = text.replace("*", "")
    for found in islice(_STATUS_VERB.finditer(text), MOST_VERBS):
        yield from (ImportLink(kind=kind, to=name) for kind, name in _objects(text, SUPERSEDED_BY, found))


def links_in_text(text: str, *, own: bool) -> Iterator[ImportLink]:
    """What a text says. `own`: it speaks of this record alone; else only sentences that say so count."""
    text = text.replace("*", "")
    for kind, pattern in _PATTERNS:
        for found in islice(pattern.finditer(text), MOST_VERBS):
            if not own and not _is_about_this(text, found.start()):
                continue
            yield from (ImportLink(kind=kind_of, to=name) for kind_of, name in _objects(text, kind, found))


def links_in_section(kind: str, text: str) -> Iterator[ImportLink]:
    """The records that a section lists whose heading says what they are."""
    return (ImportLink(kind=kind, to=name) for name in find_references(text))


def find_references(text: str) -> Iterator[str]:
    """The records that a text names: files, or numbers as `#12`."""
    for found in _REFERENCES.finditer(text):
        if name := _name(found):
            yield name


def _is_about_this(text: str, at: int) -> bool:
    before = text[max(0, at - 120) : at]
    return bool(_OF_THIS.search(before) or _LINE_START.search(before if at > 120 else "\n" + before))


def _objects(text: str, kind: str, verb: re.Match[str]) -> Iterator[tuple[str, str]]:
    """The records right behind a verb: the first within reach, and those that `and` joins to it."""
    end = verb.end()
    reach = text[end : end + REACH]
    if stop := _END.search(reach):
        reach = reach[: stop.start()]
    partly = bool(_PARTLY.search(verb[0]) or _PARTLY.search(text[max(0, verb.start() - 24) : verb.start()]))
    at = 0
    for found in _REFERENCES.finditer(reach):
        between = reach[at : found.start()]
        if at and not _AND.fullmatch(between):
            break
        partly = partly or bool(_PARTLY.search(between)) or _is_about_part(kind, between, reach[found.end() :])
        at = found.end()
        if name := _name(found):
            yield _part(kind) if partly else kind, name


def _is_about_part(kind: str, between: str, after: str) -> bool:
    """Whether only something of a record is meant: `supersedes the cache rules of ADR 3`, `replaces ADR 3's rules`."""
    words = [word for word in re.findall(r"[a-z]{2,}", between.lower()) if word not in _PLAIN]
    return kind == SUPERSEDES and (len(words) > 1 or bool(re.match(r"[’']s\b", after)))


def _part(kind: str) -> str:
    return {SUPERSEDES: PART, SUPERSEDED_BY: PART_OF}.get(kind, kind)


def _name(found: re.Match[str]) -> str:
    link, hugo, rst, other, number, bare, file = found.groups()
    if number or bare:
        return f"#{int(number or bare)}"
    name = (link or hugo or rst or other or file or "").partition("#")[0].partition("?")[0]
    if name.startswith(("http://", "https://")):
        # A record on a forge: only its file's name can tell which it is.
        name = name.rpartition("/")[2] if name.lower().endswith((".md", ".rst", ".adoc")) else ""
    return name.removesuffix("/").replace("%20", " ")
