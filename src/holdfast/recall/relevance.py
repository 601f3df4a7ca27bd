"""What matters to a prompt, with a floor: nothing when nothing is relevant enough."""

from collections.abc import Collection, Iterator
from itertools import islice

from holdfast.domain.memory import Entry, Status
from holdfast.domain.search import Question, Select
from holdfast.index.passages import terms_of
from holdfast.index.words import query_terms
from holdfast.ports.index import IndexStore
from holdfast.recall.current import tellable
from holdfast.recall.words import FUNCTION_WORDS, WordsLane

LONGEST_PROMPT = 4000
LOOKED_AT = 24
ENOUGH = 2


def relevant(prompt: str, store: IndexStore, said: Collection[str] = ()) -> Iterator[tuple[Entry, str]]:
    """Entries that share enough telling words with a prompt, best first, each with the words.

    Accepted memory that holds now; beside it the candidates with these ids, which the user said.
    """
    text = prompt[:LONGEST_PROMPT]
    if not text.strip():
        return
    statuses = (Status.ACCEPTED, Status.CANDIDATE) if said else (Status.ACCEPTED,)
    ranked = WordsLane().run(Question(text=text, select=Select(statuses=statuses)), store)
    asked = [term for term in _asked(ranked.searched.get("terms", ())) if term not in FUNCTION_WORDS and len(term) > 1]
    counts = tellable(store, said)
    for entry in islice((each.entry for each in ranked.scored if counts(each.entry)), LOOKED_AT):
        shared = _shared(entry, asked)
        if len(shared) >= min(ENOUGH, len(asked)) and shared:
            yield entry, f"shares {', '.join(shared[:4])}"


def shares_enough(prompt: str, words: str) -> bool:
    """Whether some words share enough telling terms with a prompt; the same floor, without an index."""
    asked = {term for term in query_terms(prompt[:LONGEST_PROMPT]) if term not in FUNCTION_WORDS and len(term) > 1}
    return len(asked.intersection(query_terms(words))) >= ENOUGH


def _asked(terms: object) -> tuple[str, ...]:
    return tuple(map(str, terms)) if isinstance(terms, tuple) else ()


def _shared(entry: Entry, asked: list[str]) -> list[str]:
    own = terms_of(entry.memory)
    there = {*own.title, *own.body, *own.tags}
    return [term for term in asked if term in there]
