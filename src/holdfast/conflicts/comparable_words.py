"""Text to words that can be compared: one form for one meaning, and how much each says."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import Stemmer

from holdfast.conflicts import word_groups
from holdfast.core.value import Value
from holdfast.index.terms import split_terms

LONGEST_NAME = 4
EMPTY, LIGHT, FULL, NAME = 0.0, 0.35, 1.0, 1.3
# Names that are everyday words too: they count as names only where they are written as names.
_EVERYDAY = (
    "go rest make just click express black fire solid ink rich less lit warp rocket gin fiber spring "
    "swift dart  drone chef puppet got fetch arrow push unity ant buck pants rake fish split "
)
_WORD = re.compile(r"[^\W_][\w'’]*(?:[.\-+#/][^\W_][\w'’]*)*[+#]*|\.net\b", re.IGNORECASE)
# `Chart.js`, `socket.io`: named like a file or a site.
_DOTTED = re.compile(r"\w\.(?:js|ts|io|py|rs|net|ai|dev)$", re.IGNORECASE)
_OWNER = re.compile(r"['’]s?$")
# `tasks run with make`: what stands last after one of these is a name.
_LEADING = frozenset(("with", "using", "via", "by", "in", "on", "to", "than", "of"))
_stem = Stemmer.Stemmer("english", 0).stemWord


class Word(Value):
    """A word of a text: what it counts as, how it is written, what it weighs, and whether it stands for a name."""

    form: str
    written: str
    weight: float
    name: bool = False


def split_words(text: str) -> list[Word]:
    """The words of a text in order; names of several words are one."""
    raw = _WORD.findall(text)
    stems = [stem_word(word) for word in raw]
    found: list[Word] = []
    at = 0
    while at < len(raw):
        length, form = _match_known_name(stems, at)
        written = " ".join(raw[at : at + length])
        alone = len(raw) == length or (at + length == len(raw) and at and stems[at - 1] in _LEADING)
        found += _build_words(written, form, first=at == 0, alone=bool(alone))
        at += length
    return found


def weigh_forms(found: Iterable[Word]) -> dict[str, float]:
    """What each form weighs; a word that carries no subject is not there."""
    return {word.form: word.weight for word in found if word.weight}


def total_weight(held: Mapping[str, float]) -> float:
    """What words weigh together."""
    return sum(held.values())


def shared_weight(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """What the words that both hold weigh."""
    return sum(min(weight, other[form]) for form, weight in one.items() if form in other)


def share_held(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The share of one's words that the other holds; nothing is held in everything."""
    whole = total_weight(one)
    return shared_weight(one, other) / whole if whole else 1.0


def weight_likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The share of all their words that both hold."""
    both = shared_weight(one, other)
    whole = total_weight(one) + total_weight(other) - both
    return both / whole if whole else 0.0


def form_of(word: str) -> str:
    """The form of a word or joined name of the tables."""
    parts = tuple(stem_word(part) for part in word.split("_"))
    return _names().get(parts) or "_".join(parts)


def table_forms(table: str) -> frozenset[str]:
    """The forms of a table's words."""
    return frozenset(form_of(word) for word in table.split())


@cache
def table_groups(table: str) -> Mapping[str, frozenset[str]]:
    """Which lines of a table hold a form; a line is named by the word before its colon, or by its first word."""
    found: dict[str, set[str]] = {}
    for line in table.splitlines():
        name, colon, members = line.partition(":")
        for member in (members if colon else line).split():
            found.setdefault(form_of(member), set()).add(name if colon else line.split()[0])
    return {form: frozenset(names) for form, names in found.items()}


@cache
def axis_poles() -> Mapping[str, tuple[str, bool]]:
    """Which axis a form stands on, and whether at its first pole."""
    found: dict[str, tuple[str, bool]] = {}
    for line in word_groups.AXES.splitlines():
        these, _, those = line.partition(" / ")
        for side, members in ((True, these), (False, those)):
            for member in members.split():
                found.setdefault(form_of(member), (these.split()[0], side))
    return found


@cache
def empty_forms() -> frozenset[str]:
    """Forms that carry no subject."""
    return table_forms(word_groups.EMPTY)


@cache
def negations() -> frozenset[str]:
    """Forms that turn a sentence around."""
    return table_forms(word_groups.NEGATIONS)


@cache
def affirmations() -> frozenset[str]:
    """Forms that say only that something is so."""
    return table_forms(word_groups.AFFIRMATIONS)


@cache
def light_forms() -> frozenset[str]:
    """Forms that say little."""
    return table_forms(word_groups.LIGHT)


def says_nothing(word: str) -> bool:
    """Whether a word as it is written carries no subject: `need 8` is no version of anything."""
    form = stem_word(word)
    return form in empty_forms() or form in negations() or form in affirmations()


@cache
def failure_forms() -> frozenset[str]:
    """Forms that say that something failed."""
    return table_forms(word_groups.FAILING)


def _build_words(written: str, form: str, *, first: bool, alone: bool) -> Iterator[Word]:
    plain = form or stem_word(written)
    if not written.isascii() and not re.search(r"[A-Za-z]", written):
        # Scripts without spaces: pairs of characters are the nearest to words.
        yield from (Word(form=term, written=written, weight=FULL) for term in dict.fromkeys(split_terms(written)))
        return
    as_name = _is_written_as_name(written, first=first)
    if plain in _everyday_forms() and not as_name and not alone:
        yield Word(form=f"{plain}'", written=written, weight=EMPTY if plain in empty_forms() else LIGHT)
        return
    known = plain in table_groups(word_groups.FAMILIES)
    yield Word(form=plain, written=written, weight=_weight(plain, known=known, name=as_name), name=as_name or known)


def _weight(form: str, *, known: bool, name: bool) -> float:
    if known:
        return NAME
    if form.replace(".", "").isdigit():
        return EMPTY
    if form in empty_forms() or form in negations() or form in affirmations():
        return EMPTY
    if form in light_forms():
        return LIGHT
    return NAME if name else FULL


def _is_written_as_name(written: str, *, first: bool) -> bool:
    """Whether a word is written as a name: capitals where none must be, digits among letters, joined parts."""
    if any(letter.isupper() for letter in written[1:]) or (written[:1].isupper() and not first):
        return True
    if _DOTTED.search(written):
        return True
    return any(letter.isdigit() for letter in written) and any(letter.isalpha() for letter in written)


def _match_known_name(stems: list[str], at: int) -> tuple[int, str]:
    """How many words from here are one name of the tables, and its form."""
    for length in range(min(LONGEST_NAME, len(stems) - at), 0, -1):
        form = _names().get(tuple(stems[at : at + length]))
        if form is not None:
            return length, form
    return 1, ""


def stem_text(text: str) -> list[str]:
    """The stems of a text's words, in order; also of those that carry no subject."""
    return [stem_word(word) for word in _WORD.findall(text)]


def stem_word(word: str) -> str:
    """The stem of a word, as all are compared."""
    plain = _OWNER.sub("", word.replace("’", "'")).casefold() if not word.lower().endswith("n't") else word.lower()
    return str(_stem(plain)) if plain.isalpha() and plain.isascii() else plain


@cache
def _everyday_forms() -> frozenset[str]:
    return frozenset(stem_word(word) for word in _EVERYDAY.split())


@cache
def _names() -> Mapping[tuple[str, ...], str]:
    """The names of the tables, cut as a text is, and the form that each has."""
    found: dict[tuple[str, ...], str] = {}
    for line in word_groups.SAME.splitlines():
        names = line.split()
        form = "_".join(_parts(names[0]))
        for name in names:
            found.setdefault(_parts(name), form)
    # A name of several words, wherever it stands in the tables, is one word.
    for table in (
        word_groups.FAMILIES,
        word_groups.AXES,
        word_groups.NEGATIONS,
        word_groups.AFFIRMATIONS,
        word_groups.CONTEXTS,
    ):
        for name in table.split():
            if "_" in name or "-" in name or "." in name:
                found.setdefault(_parts(name), "_".join(_parts(name)))
    return found


def _parts(name: str) -> tuple[str, ...]:
    return tuple(stem_word(part) for part in name.split("_") if part)
