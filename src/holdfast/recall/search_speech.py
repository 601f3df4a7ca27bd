"""What was said or written down, found by words: "remember when we discussed X?"."""

from collections.abc import Sequence

from holdfast.core.index_store import LocalIndex
from holdfast.core.search import SpokenHit, SpokenQuery
from holdfast.core.value import Value
from holdfast.index.terms import query_terms
from holdfast.recall.words_lane import FUNCTION_WORDS, choose_terms

LOOKED_AT = 8


class TranscriptResult(Value):
    """The answer: what was found, best first, and what was looked for in how much."""

    hits: tuple[SpokenHit, ...]
    terms: tuple[str, ...]
    passages: int


def search_transcripts(text: str, kinds: Sequence[str], limit: int, store: LocalIndex) -> TranscriptResult:
    """The best of what was said; the same words through two clients, or in two parts of one answer, come once."""
    asked = query_terms(text)
    telling = [term for term in asked if term not in FUNCTION_WORDS] or asked
    counts, passages = store.spoken_frequencies(telling)
    terms = choose_terms(asked, counts, passages).terms
    found = store.by_spoken(SpokenQuery(terms=terms, kinds=tuple(kinds), limit=limit * LOOKED_AT))
    return TranscriptResult(hits=tuple(fold_repeats(found)[:limit]), terms=terms, passages=passages)


def fold_repeats(found: Sequence[SpokenHit]) -> list[SpokenHit]:
    """One hit for one event or page, and one for words that came by several ways."""
    kept: dict[tuple[str, str], SpokenHit] = {}
    heard: set[str] = set()
    for said in found:
        words = " ".join(said.spoken.text.split())
        if words not in heard:
            kept.setdefault((said.spoken.kind, said.spoken.id), said)
        heard.add(words)
    return list(kept.values())
