"""Entry → passage: which words of a memory are searchable, and with which weight."""

from collections.abc import Iterable, Iterator, Mapping

from holdfast.core.memory import Entry, Memory
from holdfast.core.search import Passage, Terms
from holdfast.core.shelf import called
from holdfast.index.extract_names import Seen, Written, plain, spelled_in
from holdfast.index.name_kinds import ENTITY, FILE, PERSON, TAG
from holdfast.index.terms import terms


def passage(entry: Entry) -> Passage:
    """One entry made searchable."""
    return Passage(entry=entry, terms=terms_of(entry.memory), names=names_of(entry.memory))


def names_of(memory: Memory) -> tuple[str, ...]:
    """The names a memory mentions: in its words, and its tags; and what it is called."""
    return tuple(spelled_by(memory))


def spelled_by(memory: Memory) -> Mapping[str, Written]:
    """The names of a memory, each with its kind and how it is written there."""
    return spelled_in("\n".join((memory.title, *_said(memory))), _told(memory))


def _told(memory: Memory) -> Iterator[Seen]:
    """Names that its fields tell, whatever its words are."""
    yield from ((plain(path), FILE, path) for path in memory.paths)
    yield from ((plain(citation.path), FILE, citation.path) for citation in memory.cites)
    yield from ((plain(tag), TAG, tag) for tag in memory.tags)
    author = memory.extra.get("author")
    if isinstance(author, str):
        yield plain(author), PERSON, author
    yield called(memory.title), ENTITY, memory.title


def terms_of(memory: Memory) -> Terms:
    """The terms of a memory: its title; its tags and category; everything else it says."""
    return Terms(
        title=tuple(terms(memory.title)),
        body=_all(_said(memory)),
        tags=_all((*memory.tags, memory.category)),
    )


def _said(memory: Memory) -> Iterator[str]:
    yield memory.id
    yield memory.body
    yield from (memory.question, memory.choice, memory.fact, memory.context, memory.because)
    yield from (memory.error_type, memory.error_message, memory.root_cause)
    for option in memory.rejected:
        yield from (option.option, option.reason)
    yield from memory.paths
    yield from (citation.path for citation in memory.cites)
    yield from (evidence.quote for evidence in memory.evidence)


def _all(texts: Iterable[str]) -> tuple[str, ...]:
    found: list[str] = []
    for text in texts:
        if text:
            found += terms(text)
    return tuple(found)
