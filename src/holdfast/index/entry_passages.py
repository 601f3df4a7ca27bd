"""Entry → passage: which words of a memory are searchable, and with which weight."""

from collections.abc import Iterable, Iterator, Mapping

from holdfast.core.memory import Entry, Memory
from holdfast.core.search import Passage, Terms
from holdfast.core.shelf import title_name
from holdfast.index.extract_names import Seen, Written, normalize_name, spell_names
from holdfast.index.name_kinds import ENTITY, FILE, PERSON, TAG
from holdfast.index.terms import split_terms


def build_passage(entry: Entry) -> Passage:
    """One entry made searchable."""
    return Passage(entry=entry, terms=terms_of(entry.memory), names=names_of(entry.memory))


def names_of(memory: Memory) -> tuple[str, ...]:
    """The names a memory mentions: in its words, and its tags; and what it is called."""
    return tuple(spelled_names(memory))


def spelled_names(memory: Memory) -> Mapping[str, Written]:
    """The names of a memory, each with its kind and how it is written there."""
    return spell_names("\n".join((memory.title, *_memory_texts(memory))), _field_names(memory))


def _field_names(memory: Memory) -> Iterator[Seen]:
    """Names that its fields tell, whatever its words are."""
    yield from ((normalize_name(path), FILE, path) for path in memory.paths)
    yield from ((normalize_name(citation.path), FILE, citation.path) for citation in memory.cites)
    yield from ((normalize_name(tag), TAG, tag) for tag in memory.tags)
    author = memory.extra.get("author")
    if isinstance(author, str):
        yield normalize_name(author), PERSON, author
    yield title_name(memory.title), ENTITY, memory.title


def terms_of(memory: Memory) -> Terms:
    """The terms of a memory: its title; its tags and category; everything else it says."""
    return Terms(
        title=tuple(split_terms(memory.title)),
        body=_terms_of_all(_memory_texts(memory)),
        tags=_terms_of_all((*memory.tags, memory.category)),
    )


def _memory_texts(memory: Memory) -> Iterator[str]:
    yield memory.id
    yield memory.body
    yield from (memory.subject, memory.question, memory.choice, memory.fact, memory.context, memory.because)
    yield from (memory.error_type, memory.error_message, memory.root_cause)
    for option in memory.rejected:
        yield from (option.option, option.reason)
    yield from memory.paths
    yield from (citation.path for citation in memory.cites)
    yield from (evidence.quote for evidence in memory.evidence)


def _terms_of_all(texts: Iterable[str]) -> tuple[str, ...]:
    found: list[str] = []
    for text in texts:
        if text:
            found += split_terms(text)
    return tuple(found)
