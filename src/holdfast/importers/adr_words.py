"""The words that decision records are written with, in the languages people write them in."""

import re

from holdfast.importers.foreign_text import fold_text, phrase_set, split_phrases, strip_markdown

ACCEPTED, PROPOSED, DECLINED, SUPERSEDED, DEPRECATED = "accepted", "proposed", "rejected", "superseded", "deprecated"
STATES = (ACCEPTED, PROPOSED, DECLINED, SUPERSEDED, DEPRECATED)

# Of two that begin at the same place the first counts.
_STATE_WORDS = {
    SUPERSEDED: """super[sc]e+ded|replaced by|overridden by|remplacee?s? par|ersetzt durch|reemplazad|obsoleted by""",
    DECLINED: """rejected|declined|not accepted|not approved|won'?t do|withdrawn|abandoned|discarded|rejete|refuse|
        abgelehnt|rechazad|not implemented|cancelled|canceled|abandonne""",
    DEPRECATED: """deprecated|obsolete|retired|archived|no longer|outdated|deprecie|obsoleto|veraltet|historical|
        inactive""",
    PROPOSED: """propos|draft|pending|in review|under review|review|rfc|wip|in progress|in discussion|on hold|
        brouillon|vorgeschlagen|propuest|en cours|entwurf|open|undecided|tbd|not started|planned|last call|
        provisional""",
    ACCEPTED: """accept|approved|adopted|agreed|decided|implemented|done|active|final|valid|complete|in use|current|
        approuve|valide|angenommen|aprobad|✅|merged|resolved|ratified|locked|live""",
}
_STATES = tuple(
    (state, re.compile(rf"(?<![a-z])(?:{'|'.join(split_phrases(words))})")) for state, words in _STATE_WORDS.items()
)

STATUS = phrase_set("""
    status | etat | statut | estado | stato | state | decision status
""")
CONTEXT = phrase_set("""
    context | contexte | kontext | contexto | context and problem statement | problem statement | problem |
    background | motivation | issue | context and problem | problem description | why | introduction | the problem |
    overview | summary | abstract | contexte et problematique | problematique | kontext und problemstellung |
    rationale | at a glance | situation
""")
DECISION = split_phrases("""
    decision outcome | decision | decisions | the decision | our decision | outcome | outcomes | decision record |
    decision result | decision outcomes | decision made | decision and rationale | final decision | chosen option |
    chosen solution | chosen alternative | proposed decision | resolution | entscheidung | resultat | ergebnis |
    solution | proposed solution | proposal | proposed design | conclusion | recommendation | recommendations | what
    we decided | approach | chosen approach | selected option | proposed change | proposed implementation | detailed
    design | design | solution retenue | specification | implementation | proposed approach | decision details |
    proposition | solution overview | description
""")
OPTIONS = phrase_set("""
    considered options | options | options considered | considered alternatives | considered solutions | possible
    solutions | solutions | choices | solutions envisagees | options envisagees | betrachtete optionen | optionen |
    opciones | opciones consideradas | options evaluated | candidates | evaluated options | proposed solutions |
    potential solutions | solution options | possible options | possibilites | possible approaches | approaches |
    approaches considered | options and alternatives | alternatives and options | possible alternatives | different
    options
""")
ALTERNATIVES = phrase_set("""
    alternatives considered | alternatives | alternative approaches | rejected alternatives | other options |
    alternative | alternatives rejected | alternative solutions | rejected options | discarded options | options
    rejected | alternatives not chosen | alternatives considered and rejected | alternatives we considered | other
    alternatives | alternative designs | alternative options | rejected approaches | alternativen | alternativas |
    other options considered | other approaches considered | non chosen options | discarded alternatives |
    alternatives envisagees | alternative decisions | why not | other solutions | other considered options |
    alternatives considered but rejected
""")
COMPARED = phrase_set("""
    pros and cons of the options | pros and cons of the alternatives | pros and cons | pros and cons of options |
    comparison | options comparison | evaluation | option analysis | analysis of options | avantages et
    inconvenients | pros cons | pros and cons of alternatives | vor und nachteile der optionen | evaluation of
    options
""")
CONSEQUENCES = phrase_set("""
    consequences | consecuencias | konsequenzen | impact | implications | results | consequence | outcomes and
    consequences | general consequences | trade offs | tradeoffs | rationale | reasons | justification | why this
    choice
""")
REFERENCES = phrase_set("""
    links | related | related adrs | references | more information | supersedes | superseded by | related decisions
    | see also | liens | related documents | amends | amended by | replaces | relations | notes | note | update |
    updates | changelog
""")
CONS = re.compile(
    r"(?:cons?|disadvantages?|negatives?|drawbacks?|downsides?|bad|inconvenients?|contra|nachteile|desventajas|against"
    r"|weaknesses|minuses|risks?)\b"
)
PROS = re.compile(
    r"(?:pros?|advantages?|positives?|benefits?|good|avantages?|vorteile|ventajas|for|strengths|upsides?|pluses)\b"
)

_CHOICES = re.compile(r"[\[({][^\[\](){}]{0,200}[\])}]")
_BETWEEN = re.compile(r"[,|/]")
_STRUCK = re.compile(r"~~[^~\n]{0,400}~~")
LONGEST = 4000
_NUMBERED = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?|[ivx]+\.|[a-z]\))\s+")
_ASIDE = re.compile(r"\s*[\[({<*_–—-]*\s*(?:optional|facultatif)\s*[\])}>*_]*\s*$")


def normalize_heading(title: str) -> str:
    """A heading as it is looked up: no case, accents, numbers, marks or asides."""
    words = _ASIDE.sub("", fold_text(title).replace("&", " and ").replace("’", "'"))
    words = _NUMBERED.sub("", words.strip())
    return " ".join(re.sub(r"[^\w' ]+", " ", words).split())


def clean_status(text: str) -> str:
    """A status without what is struck out, and without the template's list of what one may write."""
    kept = _STRUCK.sub("", text[:LONGEST])
    return _CHOICES.sub(lambda found: "" if len(_BETWEEN.findall(found[0])) > 1 else found[0], kept)


def parse_state(text: str) -> str:
    """The state that a status line tells: the first that it names; empty when it tells none."""
    words = fold_text(strip_markdown(clean_status(text)))
    found = [(match.start(), at) for at, (_, pattern) in enumerate(_STATES) if (match := pattern.search(words))]
    return _STATES[min(found)[1]][0] if found else ""
