"""Triples of an app: kept in a file of their own, made by the model that the settings name, asked for by the graph."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from holdfast.core.errors import BadRequest, Damaged, HoldfastError
from holdfast.core.memory import Entry
from holdfast.core.model import Usage
from holdfast.core.model_port import NoModel
from holdfast.core.search import Select
from holdfast.core.triple import Fact, MemoryTriples
from holdfast.core.triple_store import Stater
from holdfast.core.value import Value
from holdfast.index.open_index import sqlite_index_of
from holdfast.recall.packable import packable_filter
from holdfast.recall.triples.ask_model import ModelTriples, TriplesAnswer, build_request, words_digest
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.trust.visibility import filter_visible_to_agents
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.model_port import Model
    from holdfast.index.sqlite.sqlite_index import SqliteIndex
    from holdfast.recall.triples.triple_file import SqliteTriples

FOLDERS = ("state", "triples")
FILE = "triples.db"
SETTING, BY_MODEL = "graph.triples", "model"
# So many memories that speak of a name show what is said of it.
ABOUT = 64
# After distilling, nobody waits for more than these.
A_FEW = 20

T = TypeVar("T")


class NoModelForTriples(BadRequest):
    """Nobody to ask."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(
            f"There is no model to ask for triples: {reason}.", hint or "set one: `holdfast config model`."
        )


class Estimate(Value):
    """What asking about so many memories may take at most. `cost` is in US dollars, None where no price is known."""

    memories: int = 0
    model: str = ""
    input: int = 0
    output: int = 0
    cost: float | None = 0.0


class TripleAnswer(Value):
    """What came of one memory."""

    entry: Entry
    answer: TriplesAnswer


def are_triples_wanted(app: App) -> bool:
    """Whether the user wants triples by a model."""
    return bool(app.settings[SETTING] == BY_MODEL)


def open_facts(app: App) -> "SqliteFacts | None":
    """The triples for the graph; None where they are off, there are none, or they cannot be read (a notice then)."""
    if not are_triples_wanted(app) or not os.path.isfile(_path(app)):
        return None
    try:
        return SqliteFacts(sqlite_index_of(app), _store(app))
    except (HoldfastError, OSError) as trouble:
        app.notices.append(f"{trouble} Search goes without them.")
        return None


class SqliteFacts:
    """The triples of the memories in the index, as long as a memory's words are those they were made of.

    For one question: what was looked up once is kept.
    """

    def __init__(self, index: "SqliteIndex", store: "SqliteTriples") -> None:
        from holdfast.index.sqlite.triple_shelf import memory_file_sums, replaced_ids

        self._index, self._store, self._sums = index, store, memory_file_sums
        self._replaced = replaced_ids(index.connection)
        self._rows: dict[str, list[int]] = {}
        self._ends: dict[int, list[str]] = {}

    def ends(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that memories state something of."""
        wanted = list(rows)
        fresh = {row: list[str]() for row in wanted if row not in self._ends}
        if fresh:
            for name, there in self._there(self._store.ends(self._index.ids(list(fresh)).values())):
                for row in there:
                    if row in fresh:
                        fresh[row].append(name)
            self._ends |= fresh
        return {row: self._ends[row] for row in wanted if self._ends[row]}

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows of memories that say something of a name, at most so many of each."""
        found: dict[str, list[int]] = {}
        for name, rows in self._there(self._store.staters(names, limit)):
            found.setdefault(name, []).extend(rows)
        return found

    def tallies(self, names: Iterable[str]) -> Mapping[str, int]:
        """About how many memories say something of each name: those that are gone since count too."""
        return self._store.tallies(names)

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[Fact]]:
        """What memories say."""
        ids = self._index.ids(list(self.ends(rows)))
        told = {each.id: each.facts for each in self._store.of(ids.values())}
        return {row: told[name] for row, name in ids.items() if name in told}

    def about(self, names: Iterable[str]) -> Sequence[Fact]:
        """What is said of any of these names, which are few."""
        wanted = frozenset(names)
        staters = self._store.staters(wanted, ABOUT)
        ids = [stater[0] for _, stater in staters if self._there([("", stater)])]
        return [fact for told in self._store.of(ids) for fact in told.facts if wanted & {*fact.ends}]

    def joined(self, names: Iterable[str]) -> Mapping[tuple[str, str], int]:
        """Which of these names facts join, and how many do; each pair once, in order."""
        found: dict[tuple[str, str], int] = {}
        stated = [((min(one, other), max(one, other)), stater) for one, other, stater in self._store.joined(names)]
        for pair, _ in self._there(stated):
            found[pair] = found.get(pair, 0) + 1
        return found

    def spoken(self, stems: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The names whose stems are these."""
        return self._store.spoken(stems)

    def _there(self, stated: Sequence[tuple[T, Stater]]) -> list[tuple[T, list[int]]]:
        """What is stated by memories that are there and say what their triples were made of, with their rows."""
        fresh = {name: (words, file) for _, (name, words, file) in stated if name not in self._rows}
        if fresh:
            self._rows |= {name: [] for name in fresh}
            other: list[int] = []
            for row, name, file in self._sums(self._index.connection, [*fresh.keys() - self._replaced]):
                (self._rows[name] if file == fresh[name][1] else other).append(row)
            # A file may have changed and its words not: a status, a date, a memory beside it.
            for row, entry in self._index.entries(other).items() if other else ():
                if words_digest(entry.memory) == fresh[entry.memory.id][0]:
                    self._rows[entry.memory.id].append(row)
        return [(what, self._rows[stater[0]]) for what, stater in stated if self._rows[stater[0]]]


# Making them


def find_waiting_memories(app: App) -> list[Entry]:
    """Memories that hold, may reach an agent, and whose words nobody was asked about; the newest first."""
    counts = packable_filter(app.index)
    holding = [entry for entry in app.index.select(Select()) if counts(entry)]
    known = _read_known_sums(app)
    found: dict[str, Entry] = {}
    for entry in filter_visible_to_agents(app, holding):
        if known.get(entry.memory.id, ("",))[0] != words_digest(entry.memory):
            found.setdefault(entry.memory.id, entry)
    return sorted(found.values(), key=lambda entry: (entry.memory.updated, entry.memory.id), reverse=True)


def count_triples(app: App) -> tuple[int, int, int]:
    """How many memories were asked about, how many triples there are, how many answers were of no use."""
    return _store(app).counts() if os.path.isfile(_path(app)) else (0, 0, 0)


def estimate_cost(app: App, entries: Sequence[Entry]) -> Estimate:
    """What asking about these may take at most."""
    from holdfast.llm.app_model import find_price
    from holdfast.llm.metered_model import estimate_tokens
    from holdfast.llm.prices import token_cost
    from holdfast.recall.triples.ask_model import MOST_TOKENS

    model = _model(app)
    read = sum(estimate_tokens(build_request(entry.memory)) for entry in entries)
    said = MOST_TOKENS * len(entries)
    most = 0.0 if model.traits.free else token_cost(find_price(app), Usage(input=read, output=said))
    return Estimate(memories=len(entries), model=model.name, input=read, output=said, cost=most)


def make(app: App, entries: Sequence[Entry]) -> Iterator[TripleAnswer]:
    """Ask about these, one after the other; each is kept before the next is asked. Raises what the model raises."""
    from holdfast.llm.cached_model import request_key

    model, store = ModelTriples(named := _model(app)), _fresh_store(app)
    for done, entry in enumerate(entries, 1):
        answer = model.of(entry.memory)
        told = MemoryTriples(
            id=entry.memory.id, words=words_digest(entry.memory), file=entry.sha256, facts=answer.facts,
            model=named.name, note=answer.note, reply=f"{request_key(named.name, build_request(entry.memory))}.json",
        )  # fmt: skip
        # What was said of words that are there no more goes with them.
        _drop_replies(app, [old.reply for old in store.of([told.id]) if old.reply != told.reply])
        store.keep(told)
        if app.progress is not None:
            app.progress("memories", done, len(entries))
        yield TripleAnswer(entry=entry, answer=answer)


def make_for_new_memories(app: App) -> None:
    """Ask about a few memories that are new, where the user wants triples; trouble is a notice."""
    if not are_triples_wanted(app) or not app.workspace:
        return
    try:
        forget_removed(app)
        few = find_waiting_memories(app)[:A_FEW]
        for _ in make(app, few) if few else ():
            pass
    except (HoldfastError, OSError) as trouble:
        app.notices.append(f"Triples were not made: {trouble}")


def forget_removed(app: App) -> None:
    """Take out what is kept of memories that are there no more."""
    there = {entry.memory.id for entry in app.index.select(Select())}
    forget_triples(app, [name for name in _read_known_sums(app) if name not in there])


def forget_triples(app: App, ids: Sequence[str]) -> None:
    """Take memories' triples off the disk, and the answers that they came from."""
    if not ids or not os.path.isfile(_path(app)):
        return
    try:
        store = _store(app)
        _drop_replies(app, [told.reply for told in store.of(ids)])
        store.drop(ids)
    except Damaged:
        os.unlink(_path(app))


def _drop_replies(app: App, names: Sequence[str]) -> None:
    from holdfast.llm.app_model import REPLIES

    with suppress(HoldfastError, OSError), open_folder(WritableFolder(root=app.folder), REPLIES) as folder:
        for name in names:
            with suppress(FileNotFoundError):
                os.unlink(os.path.basename(name), dir_fd=folder)


def _read_known_sums(app: App) -> Mapping[str, tuple[str, str]]:
    try:
        return _store(app).known() if os.path.isfile(_path(app)) else {}
    except Damaged:
        return {}


def _path(app: App) -> str:
    return os.path.join(app.folder, *FOLDERS, FILE)


def _store(app: App, *, make: bool = False) -> "SqliteTriples":
    from holdfast.recall.triples.triple_file import SqliteTriples

    # A repository may bring a link of a folder's name: none is followed.
    with open_folder(WritableFolder(root=app.folder, private=True), FOLDERS, make=make):
        return SqliteTriples(_path(app))


def _fresh_store(app: App) -> "SqliteTriples":
    """The store, rebuilt where it is damaged: kept answers fill it again."""
    try:
        return _store(app, make=True)
    except Damaged:
        with suppress(FileNotFoundError):
            os.unlink(_path(app))
        return _store(app, make=True)


def _model(app: App) -> "Model":
    from holdfast.llm.app_model import open_paid_model

    found = open_paid_model(app, remember=True)
    if isinstance(found, NoModel):
        raise NoModelForTriples(found.reason, found.hint)
    return found
