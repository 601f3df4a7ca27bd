"""What matters to a prompt, by the lanes that search goes by; nothing where nothing matters enough.

Words and vectors bring candidates, the learned model says of each how likely it matters (`engine/relevance.py`), and
its gate whether any does. "yes" and "go on" hold no word that tells anything, and are not looked up at all.
"""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

from holdfast.core.index_store import RankedIndex
from holdfast.core.memory import Entry, Memory, MemoryType
from holdfast.core.passage_store import MEMORY
from holdfast.core.shelf import Shelf
from holdfast.core.value import Value, replace
from holdfast.embed.app_embedders import OpenedEmbedders
from holdfast.index.terms import query_terms, split_terms
from holdfast.recall.engine.engine_values import PassageContext
from holdfast.recall.engine.find_passages import judge_candidates
from holdfast.recall.engine.fuse import LaneVerdicts
from holdfast.recall.engine.prepare_question import FUNCTION_TERMS
from holdfast.recall.engine.recipes import TOLD, TOLD_BY_WORDS
from holdfast.recall.engine.relevance import Features, load_gate
from holdfast.recall.packable import NO_MARKS, Counts, packable_filter
from holdfast.recall.validity import holds_at, supersession_times
from holdfast.records.injection_marks import NO_MARK, Marks

LONGEST_PROMPT = 4000
MOST = 14
NAMED_MOST = 4
NO_EMBEDDERS = OpenedEmbedders()
ENOUGH = 2
# A name of an option tells something where no more memories than this hold it, or this share of them.
FEW = 10
RARE = 0.1
# From this cosine on two memories of one type speak of one subject: of the next neighbours in bench/recall/coding that
# do not, one in a hundred comes so near.
ONE_SUBJECT = {"meaning": 0.79, "static": 0.54}
# A name in a title: a word with a capital where no sentence begins.
_NAME = re.compile(r"(?<=[^.!?\s][\s\"'(`])[A-Z][\w+#-]*[a-z0-9+#]\b")
# What people say to an agent whatever it is about: alone they ask for nothing that memory could know.
EMPTY_TERMS = FUNCTION_TERMS | frozenset(
    query_terms(
        "again all alright any better check commit continue correct done exactly fine fix further go going good got "
        "great hello help hey hi just keep let like look looks make makes maybe more much next nice nope now ok okay "
        "one open other perfect please proceed push really right run same see sense show sorry still stop sure test "
        "tests thank thanks thing things think too try two update use very wait want well work works wrong yeah yep "
        "yes yup"
    )
)


# What every goal and every memory says, whatever it is about.
GENERIC = frozenset(
    query_terms(
        "about add all also always any build change check create file fix get give help implement improve keep let "
        "like look make more move must need never new no not now only out please project put remove rename run set "
        "some start support take tell try turn update use user using want way work write perhaps maybe "
    )
)


class RelevantEntry(Value):
    """An entry that matters, how much speaks for it (log odds), why in words, and what the model looked at."""

    entry: Entry
    logit: float
    why: str
    features: Features


class RelevanceAnswer(Value):
    """What matters to a prompt, best first; `gate` says how much speaks for telling any, against `floor`."""

    found: tuple[RelevantEntry, ...] = ()
    model: str = ""
    gate: float = 0.0
    floor: float = 0.0

    @property
    def pairs(self) -> list[tuple[Entry, str]]:
        """The entries, each with why it matters."""
        return [(each.entry, each.why) for each in self.found]


def find_relevant(
    prompt: str, store: RankedIndex, said: Collection[str] = (), *, when: datetime | None = None,
    embedders: OpenedEmbedders = NO_EMBEDDERS, paths: Sequence[str] = (), marks: Marks = NO_MARKS,
) -> RelevanceAnswer:  # fmt: skip
    """What matters to a prompt: accepted memory that holds now, and the candidates with these ids, which the user said.

    With `when`, the memory that held at that moment, and no candidates.
    """
    text = prompt[:LONGEST_PROMPT]
    if not says_something(text):
        return RelevanceAnswer()
    recipe = TOLD if embedders.static or embedders.encoder else TOLD_BY_WORDS
    judged = judge_candidates(
        text, store.shelf(MEMORY), embedders.static, embedders.encoder, recipe, now=datetime.now(UTC),
        standing=PassageContext(paths=tuple(paths), globs_of=store.globs, memories=True),
    )  # fmt: skip
    counts = packable_filter(store, said, marks) if when is None else held_at_filter(store, when)
    entries = store.entries(judged.rows)
    meant = [at for at, row in enumerate(judged.rows) if row in entries and counts(entries[row])]
    chosen = [(at, entries[judged.rows[at]]) for at in meant]
    answer = _choose(_with_marks(judged, chosen, marks), chosen, _OptionNames(text, judged))
    return _with_newer(answer, judged, chosen, store.shelf(MEMORY))


def _with_marks(judged: LaneVerdicts, meant: Sequence[tuple[int, Entry]], marks: Marks) -> LaneVerdicts:
    """Less for what a person called irrelevant before."""
    if not marks:
        return judged
    found = judged.relevance
    logits, features = list(found.logits), list(found.features)
    for at, entry in meant:
        if penalty := marks.get(entry.memory.id, NO_MARK).penalty:
            logits[at] -= penalty
            features[at] = {**features[at], "marked": -penalty}
    return replace(judged, relevance=replace(found, logits=logits, features=features))


def says_something(prompt: str) -> bool:
    """Whether a prompt holds a word that could be looked up."""
    return any(term not in EMPTY_TERMS and not term.isdigit() for term in query_terms(prompt[:LONGEST_PROMPT]))


def shares_enough(prompt: str, words: str) -> bool:
    """Whether some words share enough telling terms with a prompt: for what no index holds yet."""
    asked = {term for term in query_terms(prompt[:LONGEST_PROMPT]) if term not in EMPTY_TERMS | GENERIC}
    return len(asked.intersection(query_terms(words))) >= ENOUGH


def held_at_filter(store: RankedIndex, when: datetime) -> Counts:
    """Whether an entry was memory that held at a moment."""
    ended = supersession_times(store.links()[0])
    return lambda entry: holds_at(entry.memory, when, ended)


class _OptionNames:
    """Whether a prompt names what a memory chose, rejected or forbids: then it matters, whatever else is said."""

    def __init__(self, prompt: str, judged: LaneVerdicts) -> None:
        self._asked = frozenset(query_terms(prompt)) - EMPTY_TERMS - GENERIC
        few = max(FEW, judged.asking.passages * RARE)
        self._rare = {term for term in self._asked if 0 < judged.asking.counts.get(term, 0) <= few}

    def find(self, memory: Memory) -> str:
        """The option that is named, with what became of it; or an empty text."""
        rejected = ((each.option, "was rejected") for each in memory.rejected)
        forbidden = ((name, "is forbidden") for name in _forbidden_names(memory))
        failed = ((name, "failed") for name in _NAME.findall(memory.title) if memory.type is MemoryType.FAILURE)
        for option, what in (*rejected, *forbidden, *failed, (memory.choice, "was chosen")):
            names = frozenset(split_terms(option)) - GENERIC
            if names and names <= self._asked and names & self._rare:
                return f"names {option}, which {what}"
        return ""


def _forbidden_names(memory: Memory) -> Iterator[str]:
    """The packages and modules that a memory forbids by name."""
    for key in ("forbid_dependency", "forbid_import"):
        said = memory.enforce.get(key)
        for each in said if isinstance(said, list | tuple) else (said,):
            if isinstance(each, str):
                yield each.rpartition(":")[2]


def _choose(judged: LaneVerdicts, meant: Sequence[tuple[int, Entry]], options: _OptionNames) -> RelevanceAnswer:
    """What names an option of theirs; then, if the gate opens, the best and what stands not too far below it."""
    found, gate = judged.relevance, load_gate(judged.relevance.model)
    logits = [found.logits[at] for at, _ in meant]
    answer = RelevanceAnswer(model=found.model, gate=gate.logit(logits), floor=gate.floor)
    named = {at: why for at, entry in meant if (why := options.find(entry.memory))}
    if not named and not gate.opens(logits):
        return answer
    least = gate.least(logits) if gate.opens(logits) else math.inf
    best = sorted(meant, key=lambda pair: (pair[0] not in named, -found.logits[pair[0]], pair[1].memory.id))[:MOST]
    chosen = tuple(
        RelevantEntry(
            entry=entry, logit=found.logits[at], why=named.get(at) or _explain(judged, at), features=found.features[at]
        )
        for at, entry in best
        if at in named or found.logits[at] >= least
    )  # fmt: skip
    return RelevanceAnswer(found=chosen, model=answer.model, gate=answer.gate, floor=answer.floor)


def _with_newer(
    answer: RelevanceAnswer, judged: LaneVerdicts, meant: Sequence[tuple[int, Entry]], shelf: Shelf
) -> RelevanceAnswer:
    """The same, each behind what says something newer on its subject: who hears the older must hear the newer."""
    given = {each.entry.memory.id: each for each in answer.found}
    near = _find_near(answer.model, judged, [judged.rows[at] for at, _ in meant], shelf) if given else None
    if near is None:
        return answer
    places = {entry.memory.id: place for place, (_, entry) in enumerate(meant)}
    found: dict[str, RelevantEntry] = {}
    for each in answer.found:
        memory = each.entry.memory
        same = [pair for pair, close in zip(meant, near[places[memory.id]], strict=True) if close]
        newer = [(at, entry) for at, entry in same if _is_newer(entry.memory, memory)]
        for at, entry in sorted(newer, key=lambda pair: pair[1].memory.updated, reverse=True):
            added = RelevantEntry(
                entry=entry, logit=judged.relevance.logits[at], features=judged.relevance.features[at],
                why=f"newer than {memory.id}, on the same subject",
            )  # fmt: skip
            found.setdefault(entry.memory.id, given.get(entry.memory.id, added))
        found.setdefault(memory.id, each)
    return replace(answer, found=tuple(found.values()))


def _find_near(model: str, judged: LaneVerdicts, rows: Sequence[int], shelf: Shelf) -> list[list[bool]] | None:
    """Which of these speak of one subject, as far as the model that judged can tell."""
    floor, asking = ONE_SUBJECT.get(model), judged.asking
    name = asking.meaning_name if model == "meaning" else asking.static_name
    vectors = None if floor is None else shelf.vectors(name, rows)
    if floor is None or vectors is None:
        return None
    near: list[list[bool]] = (vectors @ vectors.T >= floor).tolist()
    return near


def _is_newer(memory: Memory, other: Memory) -> bool:
    return memory.type is other.type and memory.updated > other.updated


def _explain(judged: LaneVerdicts, at: int) -> str:
    """The words it shares with the prompt, or how near it lies."""
    shared = judged.shared[at]
    if shared:
        return f"shares {', '.join(shared[:NAMED_MOST])}"
    features = judged.relevance.features[at]
    near = features.get("near", features.get("static", 0.0))
    return f"near in meaning ({near:.2f})"
