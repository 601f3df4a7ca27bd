"""What matters to a prompt, with a floor: nothing when nothing is relevant enough."""

from collections.abc import Iterator
from itertools import islice

from holdfast.domain.memory import Entry
from holdfast.domain.search import Question
from holdfast.index.passages import terms_of
from holdfast.ports.index import IndexStore
from holdfast.recall.search import search
from holdfast.recall.words import FUNCTION_WORDS

LONGEST_PROMPT = 4000
LOOKED_AT = 40
ENOUGH = 2


def relevant(prompt: str, store: IndexStore) -> Iterator[tuple[Entry, str]]:
    """Entries that share enough telling words with a prompt, best first, each with the words."""
    text = prompt[:LONGEST_PROMPT]
    if not text.strip():
        return
    found = search(Question(text=text, limit=LOOKED_AT), store)
    asked = [term for term in _asked(found.searched.get("terms", ())) if term not in FUNCTION_WORDS and len(term) > 1]
    for hit in islice(found.hits, LOOKED_AT):
        shared = _shared(hit.entry, asked)
        if len(shared) >= min(ENOUGH, len(asked)) and shared:
            yield hit.entry, f"shares {', '.join(shared[:4])}"


def _asked(terms: object) -> tuple[str, ...]:
    return tuple(map(str, terms)) if isinstance(terms, tuple) else ()


def _shared(entry: Entry, asked: list[str]) -> list[str]:
    own = terms_of(entry.memory)
    there = {*own.title, *own.body, *own.tags}
    return [term for term in asked if term in there]
