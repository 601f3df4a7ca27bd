"""The names a text mentions: people and things by their capitals, files, symbols, packages, ids. Rules, no model.

A name is compared in lower case, its words joined by single spaces; beside that form stand its kind and how it was
written. Which names tell something (those that few share) is decided when a question is asked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from holdfast.index.name_kinds import ENTITY, FILE, find_claims, is_file, quoted_kind, strongest_kind, word_kind
from holdfast.index.terms import query_terms

LONGEST = 80
MOST = 60

_SMALL = "of|the|de|la|le|du|von|van|and|for|in|on|to|at|a"
_WORD = r"[A-Z0-9][\w'’&-]*(?:\.\w+)*"
_CAPITALS = re.compile(rf"(?<!\w){_WORD}(?: +(?:(?:{_SMALL}) +){{0,2}}{_WORD})*")
_CODE = re.compile(r"`([^`\n]{2,80})`|([\w.-]+(?:/[\w.-]+)+)|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
_POSSESSIVE = re.compile(r"['’]s\b")
_BLOB = re.compile(r"\S{300,}")
_PIECES = re.compile("[a-z0-9]+")
_PLAIN_WORDS = (
    "a add after all also although always an and any are as at be because before but by can could did do does fix "
    "for from had has have he hello her here hey hi his how i if in is it its just let like lol make maybe me my "
    "never no not note now of oh ok okay on one or our please run same she since so some sure thank thanks that "
    "the their them then there these they this those to todo until use very was we well were what when where "
    "which who why will with wow would yeah yes you your"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())


Written = tuple[str, str]  # its kind, and how it was written
Seen = tuple[str, str, str]  # a name as it is compared, its kind, and how it was written


def spell_names(text: str, known: Iterable[Seen] = ()) -> Mapping[str, Written]:
    """The names a text mentions, in order, each with its kind and how it was first written so.

    `known` are names that other things than the text's words tell: paths, tags, who speaks.
    """
    # No name is so long, and looking for one in a blob would take long.
    text = _BLOB.sub(" ", text)
    found = dict[str, list[Written]]()
    for name, kind, written in (*_capitals(text), *_code(text), *_claimed_names(text)):
        if len(name) > 1 and (name in found or len(found) < MOST):
            found.setdefault(name, []).append((kind, written))
    for name, kind, written in known:
        if name:
            found.setdefault(name, []).insert(0, (kind, written))
    return {name: _choose_spelling(ways) for name, ways in found.items()}


def normalize_name(text: str) -> str:
    """A name as it is compared."""
    return " ".join(_PIECES.findall(_POSSESSIVE.sub("", text).lower()))[:LONGEST]


def stem_name(name: str) -> str:
    """A name by the stems of its words, so that `nightly exports` is `nightly export`."""
    return " ".join((query_terms(word) or [word])[-1] for word in name.split())


def _choose_spelling(ways: list[Written]) -> Written:
    kind = strongest_kind(kind for kind, _ in ways)
    return kind, next(written for each, written in ways if each == kind)


def _capitals(text: str) -> Iterator[Seen]:
    for span in _CAPITALS.findall(text):
        written = _POSSESSIVE.sub("", span.strip("'-"))
        name = normalize_name(written).removeprefix("the ")
        # A sentence begins with a capital too; what follows it may be the name.
        while name.partition(" ")[0] in _PLAIN:
            name = name.partition(" ")[2]
        if name:
            written = _end_of(written, name)
            yield name, word_kind(written), written


def _end_of(written: str, name: str) -> str:
    """What is left of a written name when words were taken off its beginning."""
    while " " in written and normalize_name(written) != name:
        written = written.partition(" ")[2]
    return written


def _code(text: str) -> Iterator[Seen]:
    for found in _CODE.finditer(text):
        quoted, path, symbol = found.groups()
        if quoted:
            yield normalize_name(quoted), quoted_kind(quoted), quoted
        elif symbol:
            yield normalize_name(symbol), word_kind(symbol), symbol
        else:
            # What stands behind `//` is a site, not a path of ours.
            kind = FILE if is_file(path) and text[max(0, found.start() - 2) : found.start()] != "//" else ENTITY
            yield normalize_name(path), kind, path
            last = path.rpartition("/")[2]
            yield normalize_name(last), kind if is_file(last) else ENTITY, last


def _claimed_names(text: str) -> Iterator[Seen]:
    return ((normalize_name(written), kind, written) for written, kind in find_claims(text))
