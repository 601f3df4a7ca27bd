"""The words lane: BM25 over terms. The terms that tell little are left out while others remain."""

from collections.abc import Mapping, Sequence

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry
from holdfast.core.search import Question, WordQuery
from holdfast.core.value import Value
from holdfast.index.entry_passages import terms_of
from holdfast.index.terms import query_terms
from holdfast.recall.lane import LaneRanking

MOST_TERMS = 64
FEW_PASSAGES = 50
FUNCTION_WORDS = frozenset(
    query_terms(
        "a an and are as at be but by can could did do does for from had has have how i if in into is it its me my of "
        "on or our s should so t that the their them then there these they this those to us was we were what when "
        "where which who why will with would you your"
    )
)


class ChosenTerms(Value):
    """The terms to look for, those left out, and those that stand nowhere."""

    terms: tuple[str, ...]
    dropped: tuple[str, ...]
    unknown: tuple[str, ...]


class WordsLane:
    """Finds entries by the words of the question."""

    name = "words"

    def run(self, question: Question, store: IndexStore) -> LaneRanking:
        """Entries that hold any of the chosen terms."""
        asked = query_terms(question.text)
        telling = [term for term in asked if term not in FUNCTION_WORDS] or asked
        counts, passages = store.frequencies(telling)
        chosen = choose_terms(asked, counts, passages)
        return LaneRanking(
            scored=store.by_words(WordQuery(terms=chosen.terms, select=question.select)),
            why=lambda entry: explain_match(entry, chosen.terms),
            searched={
                "memories": passages,
                "terms": chosen.terms,
                "dropped": chosen.dropped,
                "unknown": chosen.unknown,
            },
        )


def choose_terms(asked: Sequence[str], counts: Mapping[str, int], passages: int) -> ChosenTerms:
    """Of the terms that were counted, leave out those in more than a third of all passages while rarer ones remain."""
    found = [term for term in asked if counts.get(term)]
    often = max(FEW_PASSAGES, passages / 3)
    rare = [term for term in found if counts[term] <= often] or found
    kept = set(sorted(rare, key=lambda term: counts[term])[:MOST_TERMS])
    unknown = tuple(term for term in asked if counts.get(term) == 0)
    return ChosenTerms(
        terms=tuple(term for term in asked if term in kept),
        dropped=tuple(term for term in asked if term not in kept and term not in unknown),
        unknown=unknown,
    )


def explain_match(entry: Entry, terms: Sequence[str]) -> str:
    """Which terms matched, and where: `title: pool, timeout; body: postgr`."""
    own = terms_of(entry.memory)
    parts = (("title", own.title), ("tags", own.tags), ("body", own.body))
    found = ((name, [term for term in terms if term in part]) for name, part in parts)
    return "; ".join(f"{name}: {', '.join(matched)}" for name, matched in found if matched)
