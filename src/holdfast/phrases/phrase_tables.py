r"""What a user's sentence looks like when it must not be lost, as data. Nothing is compiled; only data is loaded.

A pattern is `(id, kind, language, confidence, cues, regex, examples)`; there is one file of them per language. It is
tried on a sentence in lower case, with straight apostrophes, its leading fillers ("ok, so …") gone and what stands in
quotes or backticks masked (as U+E000), and only when one of its cues is in the sentence; "a&b" is a cue of two parts.
So a cold hook compiles next to nothing.

Groups: `choice`, `rejected`, `name`, `value`, with a number where a regex needs one twice; a group `verb` must be one
of `VERBS` of the language. Short forms: {X} and {Y} stand for the chosen and the rejected thing, {E} for the end of a
thing, {I} for a place where an order may begin, {PARTS}, {ROLES} and {STORES} for lists of `languages/en.py`. Repeats
are bounded, so that no input makes a pattern slow.

`QUESTIONS`, `HEDGES` and `REPORTED` tell what is no statement of the user's own will; `OWN` is what REPORTED must not
take for somebody else's words.
"""

from holdfast.core.word_lists import word_set
from holdfast.phrases.languages import de, en, es, fr, zh

Pattern = tuple[str, str, str, float, tuple[str, ...], str, tuple[str, ...]]

PATTERNS: tuple[Pattern, ...] = en.PATTERNS + de.PATTERNS + fr.PATTERNS + es.PATTERNS + zh.PATTERNS

VERBS = {"en": en.VERBS, "de": de.VERBS, "fr": fr.VERBS, "es": es.VERBS, "zh": frozenset[str]()}
QUESTIONS = {"en": en.QUESTIONS, "de": de.QUESTIONS, "fr": fr.QUESTIONS, "es": es.QUESTIONS, "zh": zh.QUESTIONS}
HEDGES = {"en": en.HEDGES, "de": de.HEDGES, "fr": fr.HEDGES, "es": es.HEDGES, "zh": zh.HEDGES}
REPORTED = {"en": en.REPORTED, "de": de.REPORTED, "fr": fr.REPORTED, "es": es.REPORTED, "zh": zh.REPORTED}
OWN = {"en": en.OWN, "de": de.OWN, "fr": fr.OWN, "es": es.OWN, "zh": zh.OWN}

# Words that may stand before a sentence proper and change nothing.
FILLERS = word_set(
    "ok okay okey so well and but hmm hm um uh alright right yes yeah yep yup great cool also please hey oh ah "
    "sure fine good nice thanks perfect awesome honestly anyway btw fyi note gut ja bitte super genau na und "
    "aber bon alors oui d'accord bien donc et mais vale bueno sí si pues entonces y pero"
)

_ENDS = {"en": en.ENDS, "de": de.ENDS, "fr": fr.ENDS, "es": es.ENDS, "zh": zh.ENDS}
_FORMS = (("{I}", en.ORDER), ("{PARTS}", en.PARTS), ("{ROLES}", en.ROLES), ("{STORES}", en.STORES))
_THING = r"[^\s,;][^,;\n]{0,70}?"
_THING_ZH = r"[^\s,，。；;]{1,30}?"


def expand_regex(regex: str, language: str) -> str:
    """A pattern's regex with the short forms written out."""
    regex = regex.replace("{E}", _ENDS[language])
    for form, text in _FORMS:
        regex = regex.replace(form, text)
    thing = _THING_ZH if language == "zh" else _THING
    return _name_groups(_name_groups(regex, "{X}", "choice", thing), "{Y}", "rejected", thing)


def _name_groups(regex: str, form: str, name: str, thing: str) -> str:
    """Each occurrence of a form as a group; no two may have one name, so later ones get a number."""
    first, *rest = regex.split(form)
    return first + "".join(f"(?P<{name}{'' if n == 0 else n + 10}>{thing}){part}" for n, part in enumerate(rest))
