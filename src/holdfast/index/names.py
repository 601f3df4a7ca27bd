"""The names a text mentions: people and things by their capitals, files, symbols, packages, ids. Rules, no model.

A name is compared in lower case, its words joined by single spaces. Which names tell something (those that few share)
is decided when a question is asked.
"""

import re
from collections.abc import Iterator

LONGEST = 80
MOST = 60

_SMALL = "of|the|de|la|le|du|von|van|and|for|in|on|to|at|a"
_WORD = r"[A-Z0-9][\w'’&-]*(?:\.\w+)*"
_CAPITALS = re.compile(rf"(?<!\w){_WORD}(?: +(?:(?:{_SMALL}) +){{0,2}}{_WORD})*")
_CODE = re.compile(r"`([^`\n]{2,80})`|([\w.-]+(?:/[\w.-]+)+)|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
_POSSESSIVE = re.compile(r"['’]s\b")
_PIECES = re.compile("[a-z0-9]+")
_PLAIN_WORDS = (
    "a add after all also although always an and any are as at be because before but by can could did do does fix "
    "for from had has have he hello her here hey hi his how i if in is it its just let like lol make maybe me my "
    "never no not note now of oh ok okay on one or our please run same she since so some sure thank thanks that "
    "the their them then there these they this those to todo until use very was we well were what when where "
    "which who why will with wow would yeah yes you your"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())


def names_in(text: str) -> tuple[str, ...]:
    """The names a text mentions, each once, in order."""
    found = dict.fromkeys(name for name in (*_capitals(text), *_code(text)) if len(name) > 1)
    return tuple(found)[:MOST]


def plain(text: str) -> str:
    """A name as it is compared."""
    return " ".join(_PIECES.findall(_POSSESSIVE.sub("", text).lower()))[:LONGEST]


def _capitals(text: str) -> Iterator[str]:
    for span in _CAPITALS.findall(text):
        name = plain(span.strip("'-")).removeprefix("the ")
        # A sentence begins with a capital too; what follows it may be the name.
        while name.partition(" ")[0] in _PLAIN:
            name = name.partition(" ")[2]
        yield name


def _code(text: str) -> Iterator[str]:
    for quoted, path, symbol in _CODE.findall(text):
        whole = plain(quoted or path or symbol)
        yield whole
        if path:
            yield plain(path.rpartition("/")[2])
