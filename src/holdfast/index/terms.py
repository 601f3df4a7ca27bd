"""Text → terms: what the words lane compares. The same for text and for query; see docs/formats/index.md."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

import Stemmer

LONGEST_TERM = 64
CACHED_WORDS = 100_000
CACHED_LENGTH = 64

_JOINERS = r"_\-./:\\@"
_LETTERS = "[^\x00-/:-@[-`{-\x7f]+"  # said by what it is not: 50 times faster to compile than by what it is
_COMPOUND = re.compile(f"{_LETTERS}(?:[{_JOINERS}]+{_LETTERS})*")
_PIECE_ENDS = re.compile(r"[./:\\@]+")
_WORD_ENDS = re.compile(r"[_\-]+")
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9])(?=[A-Z][a-z])")
_NUMBERED = re.compile("[A-Za-z]+(?=[0-9]+$)")
_LATIN_MARKS = re.compile("(?<=[A-Za-z])[\u0300-\u036f]+")
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff"  # Burmese
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff\u3130-\u318f"  # Hangul
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff\U0001aff0-\U0001b16f"  # Kana
    "\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_CLINGING = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    "\u17b4-\u17d3\u17dd\u3099\u309a"
)
_ZERO_WIDTH_SPACE = 0x200B

_stem = Stemmer.Stemmer("english", 0).stemWord


def split_terms(text: str) -> list[str]:
    """The terms of a text, in order, as often as they stand there."""
    return _cut_text(text, _of_text)


def query_terms(text: str) -> list[str]:
    """The terms to look for, each once, in the order asked."""
    return list(dict.fromkeys(_cut_text(text, _of_query)))


class _Cut(dict[str, tuple[str, ...]]):
    """Compounds already cut: a text's words come again and again, so most cost one lookup."""

    def __init__(self, *, singles: bool) -> None:
        self._singles = singles

    def __missing__(self, compound: str) -> tuple[str, ...]:
        cut = tuple(term[:LONGEST_TERM] for term in _terms_of(compound, singles=self._singles))
        if len(compound) <= CACHED_LENGTH:
            if len(self) >= CACHED_WORDS:
                self.clear()
            self[compound] = cut
        return cut


class _Letters(dict[int, int | None]):
    """For str.translate: letters, marks, digits and ASCII stay; format characters vanish; the rest divides."""

    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        kept: int | None = code if code < 0x80 or category[0] in "LMN" or category == "Co" else 0x20
        if category == "Cf" and code != _ZERO_WIDTH_SPACE:
            kept = None
        self[code] = kept
        return kept


_of_text = _Cut(singles=True)
_of_query = _Cut(singles=False)
_letters = _Letters()


def _cut_text(text: str, cut: _Cut) -> list[str]:
    plain = text if text.isascii() else _normalize_text(text)
    found: list[str] = []
    for compound in _COMPOUND.findall(plain):
        found += cut[compound]
    return found


def _normalize_text(text: str) -> str:
    """NFKC without Latin diacritics, case kept (it shows where words begin), with only letters beyond ASCII."""
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFC", _LATIN_MARKS.sub("", apart)).translate(_letters)


def _terms_of(compound: str, *, singles: bool) -> Iterable[str]:
    if compound.isascii():
        yield from _spaced_terms(compound)
        return
    for place, stretch in enumerate(_stretches().split(compound)):
        if place % 2:
            yield from _unspaced_terms(stretch, singles=singles)
        elif words := stretch.strip("_-./:\\@"):
            yield from _spaced_terms(words)


def _unspaced_terms(stretch: str, *, singles: bool) -> Iterable[str]:
    """Characters with the marks that cling to them, and pairs of neighbours."""
    characters = [character.casefold() for character in _characters().findall(stretch)]
    if singles or len(characters) == 1:
        yield from characters
    for first, second in pairwise(characters):
        yield first + second


@cache
def _stretches() -> re.Pattern[str]:
    # Compiled when first met: most workspaces hold no such text, and every command would pay.
    return re.compile(f"([{_UNSPACED}]+)")


@cache
def _characters() -> re.Pattern[str]:
    return re.compile(f"[^{_CLINGING}]?[{_CLINGING}]+|.", re.DOTALL)


def _spaced_terms(compound: str) -> Iterable[str]:
    """The stems of the parts, then the pieces and the whole compound by their full names."""
    pieces = [_parts(piece) for piece in _PIECE_ENDS.split(compound)]
    for part in (part for piece in pieces for part in piece):
        yield _stem_word(part)
    for piece in pieces:
        if len(piece) > 1:
            name = "".join(piece)
            yield from dict.fromkeys((name, _stem_word(name)))
        # OAuth2 is also looked for as oauth.
        if len(piece) > 2 and piece[-1].isdigit():
            yield "".join(piece[:-1])
    if len(pieces) > 1:
        yield "".join(part for piece in pieces for part in piece)


def _parts(piece: str) -> list[str]:
    return [part for word in _WORD_ENDS.split(piece) for part in _split_camel_case(word)]


def _split_camel_case(word: str) -> Iterable[str]:
    """The words in a camelCase word, folded. Only digits at the end divide: k8s and 7K2MQ4 stay whole."""
    shape = word if word.isascii() else "".join(map(_shape, word))
    ends = [0, *(hump.start() for hump in _HUMP.finditer(shape)), len(word)]
    for start, end in pairwise(ends):
        numbered = _NUMBERED.match(shape, start, end)
        if numbered:
            yield word[start : numbered.end()].casefold()
        yield word[numbered.end() if numbered else start : end].casefold()


def _shape(letter: str) -> str:
    if letter.isupper():
        return "A"
    return "0" if letter.isnumeric() else "a"


def _stem_word(word: str) -> str:
    return str(_stem(word)) if word.isalpha() and word.isascii() else word
