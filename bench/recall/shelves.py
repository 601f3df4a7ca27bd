"""Passages of a set of questions → a shelf, as the index would make it."""

import re
from collections.abc import Sequence

from bench.recall.data import Passage
from bench.recall.exact import ExactShelf
from holdfast.core.embedder import Embedder, StaticEmbedder
from holdfast.core.shelf import Text
from holdfast.index.extract_names import normalize_name, spell_names
from holdfast.index.terms import split_terms

_WORD = re.compile(r"[^\W_]+")
_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")


def shelf(
    passages: Sequence[Passage], static: StaticEmbedder | None = None, encoder: Embedder | None = None
) -> ExactShelf:
    """A shelf of these passages with the vectors of what is given; rows are places."""
    wholes = [passage.whole for passage in passages]
    texts = [text(place, passage) for place, passage in enumerate(passages)]
    mentioned = {place: names(passage) for place, passage in enumerate(passages)}
    vectors = {each.name: each.embed(wholes) for each in (static, encoder) if each is not None}
    tokens = static.tokens(wholes) if static is not None else ()
    return ExactShelf(texts, names=mentioned, vectors=vectors, tokens=tokens)


def text(place: int, passage: Passage) -> Text:
    """One passage as the port has it."""
    return Text(
        row=place,
        group=passage.group,
        at=place,
        said_by=passage.said_by.lower(),
        title=passage.title,
        terms=tuple(split_terms(passage.whole)),
        words=tuple(dict.fromkeys(_WORD.findall(passage.whole.lower()))),
        asks=asking_share(passage.text),
        length=len(passage.text.split()),
        ts=passage.ts,
    )


def names(passage: Passage) -> list[str]:
    """What a passage mentions, and what it is called; brackets behind a title only tell it from others."""
    called = normalize_name(_QUALIFIER.sub("", passage.title))
    return list(dict.fromkeys(filter(None, (*spell_names(f"{passage.title}\n{passage.text}"), called))))


def asking_share(text: str) -> float:
    """The share of sentences that are questions."""
    ends = _SENTENCE_END.findall(text)
    return sum("?" in end for end in ends) / len(ends) if ends else 0.0
