"""Which names tell something. The index keeps every capitalised word; what it is worth shows in the collection."""

import re
from collections.abc import Iterable, Mapping, Sequence

from holdfast.core.shelf import Shelf
from holdfast.index.terms import query_terms

LONGEST = 8
WORDS_MOST = 64
FEW_GROUPS = 5
COMMON_SHARE = 0.05
COMMON_MOST = 2_000
NEARLY_ALWAYS = 0.8

_POSSESSIVE = re.compile(r"['’]s\b")
_WORD = re.compile("[a-z0-9]+")
_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")


def name_runs(text: str) -> list[list[str]]:
    """All runs of words that may be a name, by their length, the longest first."""
    words = compared_words(text)[:WORDS_MOST]
    sizes = range(min(LONGEST, len(words)), 0, -1)
    return [[" ".join(words[start : start + size]) for start in range(len(words) - size + 1)] for size in sizes]


def compared_words(text: str) -> list[str]:
    """The words of a name as names are compared."""
    return _WORD.findall(_POSSESSIVE.sub("", text).lower())


def rare_names(counts: Mapping[str, int], groups: int) -> list[str]:
    """Names that some groups have but not nearly all, the rarest first."""
    most = min(COMMON_MOST, max(FEW_GROUPS, COMMON_SHARE * groups))
    return sorted((name for name, count in counts.items() if 0 < count <= most), key=lambda name: (counts[name], name))


def distinctive_rows(names: Sequence[str], shelf: Shelf, limit: int) -> Mapping[str, Sequence[int]]:
    """The rows of each name, without single words that are mostly written as a plain word."""
    rows_of = {name: rows for name, rows in shelf.named(names, limit).items() if rows}
    stems = {name: query_terms(name)[-1] for name in rows_of if " " not in name}
    written = shelf.frequencies(list(dict.fromkeys(stems.values())))
    return {
        name: rows_of[name]
        for name in names
        if name in rows_of
        and (name not in stems or len(rows_of[name]) >= NEARLY_ALWAYS * min(limit, written.get(stems[name], 0)))
    }


def titled_passages(rows_of: Mapping[str, Sequence[int]], shelf: Shelf) -> frozenset[tuple[int, str]]:
    """Which passages are about a name: it is their title. Of each name only the first passage is looked at."""
    firsts = {name: rows[0] for name, rows in rows_of.items() if rows}
    titles = {row: title_as_name(text.title) for row, text in shelf.texts(sorted(set(firsts.values()))).items()}
    return frozenset((row, name) for name, row in firsts.items() if titles.get(row) == name)


def title_as_name(text: str) -> str:
    """A title as a name; what stands behind it in brackets only tells it from others."""
    return " ".join(compared_words(_QUALIFIER.sub("", text)))


def mentioned_names(rows: Iterable[int], shelf: Shelf) -> list[str]:
    """The names of some passages, each once."""
    return list(dict.fromkeys(name for names in shelf.naming(list(rows)).values() for name in names))
