"""What matters to a prompt, with a floor: nothing when nothing is relevant enough."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry, Memory, MemoryType, Status
from holdfast.core.search import Question, Select
from holdfast.index.entry_passages import terms_of
from holdfast.index.terms import query_terms, split_terms
from holdfast.recall.packable import Counts, packable_filter
from holdfast.recall.validity import ONCE_ACCEPTED, holds_at, supersession_times
from holdfast.recall.words_lane import FUNCTION_WORDS, WordsLane

LONGEST_PROMPT = 4000
LOOKED_AT = 24
ENOUGH = 2
# So short a goal is about each of its words: one of them is enough.
SHORT = 2
FEW = 10
RARE = 0.1
_NAME = re.compile(r"(?<=[^.!?\s][\s\"'(`])[A-Z][\w+#-]*[a-z0-9+#]\b")
# What every goal and every memory says, whatever it is about.
GENERIC = frozenset(
    query_terms(
        "about add all also always any build change check create file fix get give help implement improve keep let "
        "like look make more move must need never new no not now only out please project put remove rename run set "
        "some start support take tell try turn update use user using want way work write perhaps maybe "
    )
)


def find_relevant(
    prompt: str, store: IndexStore, said: Collection[str] = (), *, when: datetime | None = None
) -> Iterator[tuple[Entry, str]]:
    """Entries that share enough telling words with a prompt, best first, each with the words.

    Accepted memory that holds now; beside it the candidates with these ids, which the user said. With `when`, the
    memory that held at that moment, and no candidates.
    """
    text = prompt[:LONGEST_PROMPT]
    if not text.strip():
        return
    statuses = (Status.ACCEPTED, Status.CANDIDATE) if said else (Status.ACCEPTED,)
    select = Select(statuses=ONCE_ACCEPTED if when else statuses)
    ranked = WordsLane().run(Question(text=text, select=select), store)
    floor = _Floor(query_terms(text), _as_texts(ranked.searched.get("terms", ())), store)
    counts = packable_filter(store, said) if when is None else held_at_filter(store, when)
    for entry in islice((each.entry for each in ranked.scored if counts(each.entry)), LOOKED_AT):
        shared = floor.shared(entry)
        if shared:
            yield entry, f"shares {', '.join(shared[:4])}"


def held_at_filter(store: IndexStore, when: datetime) -> Counts:
    """Whether an entry was memory that held at a moment."""
    ended = supersession_times(store.links()[0])
    return lambda entry: holds_at(entry.memory, when, ended)


def shares_enough(prompt: str, words: str) -> bool:
    """Whether some words share enough telling terms with a prompt; the same floor, without an index."""
    asked = {term for term in query_terms(prompt[:LONGEST_PROMPT]) if _is_telling(term)}
    return len(asked.intersection(query_terms(words))) >= ENOUGH


class _Floor:
    """What a memory must share with a prompt to be relevant to it."""

    def __init__(self, prompt: Sequence[str], known: Sequence[str], store: IndexStore) -> None:
        self._asked = [term for term in prompt if _is_telling(term)]
        self._known = [term for term in known if _is_telling(term)]
        counts, passages = store.frequencies(self._known)
        self._rare = {term for term in self._known if counts[term] <= max(FEW, passages * RARE)}

    def shared(self, entry: Entry) -> list[str]:
        """The telling terms that an entry shares with the prompt, if they are enough; else none.

        Two are, if one of them is what the entry is about and not only said in passing. One is, where the prompt names
        what was chosen, rejected or forbidden, or all that the title does, or where a short prompt and what the entry
        is about have a rare one in common, or it names what failed.
        """
        own = terms_of(entry.memory)
        there = {*own.title, *own.body, *own.tags}
        shared = [term for term in self._known if term in there]
        about = {*own.title, *own.tags, *_subject_terms(entry.memory)}.intersection(shared)
        enough = bool(about) and len(shared) >= ENOUGH
        rare = len(self._asked) <= SHORT and bool(about & self._rare)
        if entry.memory.type is MemoryType.FAILURE:
            # What failed by its name is worth a word wherever the name is spoken.
            rare = rare or bool(self._rare.intersection(shared, _names(entry.memory)))
        return shared if enough or rare or self._names_option(entry) else []

    def _names_option(self, entry: Entry) -> bool:
        memory = entry.memory
        for option in (
            memory.choice,
            *(each.option for each in memory.rejected),
            *_forbidden_names(memory),
            memory.title,
        ):
            names = {term for term in split_terms(option) if _is_telling(term)}
            if names and names <= set(self._known) and names & self._rare:
                return True
        return False


def _names(memory: Memory) -> list[str]:
    """The names in what a failure is called: words with a capital where no sentence begins."""
    return split_terms(" ".join(_NAME.findall(f"{memory.title} {memory.error_message}")))


def _forbidden_names(memory: Memory) -> Iterator[str]:
    """The packages and modules that a memory forbids by name."""
    for key in ("forbid_dependency", "forbid_import"):
        said = memory.enforce.get(key)
        for each in said if isinstance(said, list | tuple) else (said,):
            if isinstance(each, str):
                yield each.rpartition(":")[2]


def _subject_terms(memory: Memory) -> list[str]:
    """The terms of what a memory is about, beside its title and tags."""
    options = " ".join(option.option for option in memory.rejected)
    return split_terms(f"{memory.question} {memory.choice} {options} {memory.fact} {memory.root_cause}")


def _is_telling(term: str) -> bool:
    return len(term) > 1 and term not in FUNCTION_WORDS and term not in GENERIC


def _as_texts(found: object) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, tuple) else ()
