"""A team's index that grows: the same made memories into PostgreSQL and SQLite, and the same questions to both."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import lru_cache, partial
from itertools import chain
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from bench.made import Generator
from holdfast.core.index_store import IndexStore
from holdfast.core.memory import FOLDERS, Entry, Memory, Scope
from holdfast.core.search import Change, Passage, Question, Source, SourceChange, Terms
from holdfast.core.shelf import title_name
from holdfast.core.value import Value
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.index.extract_names import normalize_name
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.terms import split_terms
from holdfast.recall.select import search

CHUNK = 1_000
QUERIES = 200
KINDS = {folder: kind for kind, folder in FOLDERS.items()}
SPAWNED = get_context("spawn")

_terms_of = lru_cache(500_000)(lambda word: tuple(split_terms(word)))


class Asked(Value):
    """How long questions took, in seconds, in order."""

    times: Sequence[float]

    def at(self, share: float) -> float:
        """The time in milliseconds that a share of them did not exceed."""
        return 1000 * self.times[min(len(self.times) - 1, int(len(self.times) * share))]


class Growing:
    """An index that is filled step by step. Only the store's own work is timed, not the making of memories."""

    def __init__(self, index: IndexStore) -> None:
        self.index = index
        self._made = Generator(seed=7)
        self._size = 0

    def grow(self, size: int) -> float:
        """Fill it up to a size; memories a second."""
        spent, begun = 0.0, self._size
        while self._size < size:
            change = self.change(min(CHUNK, size - self._size))
            spent += timed(partial(self.index.apply, change))
        return (size - begun) / max(spent, 1e-9)

    def change(self, count: int) -> Change:
        """The next memories, as the index is told of them."""
        first, self._size = self._size, self._size + count
        return Change(sources=tuple(_source(*self._made.memory(number)) for number in range(first, self._size)))

    def ask(self, questions: Sequence[str]) -> Asked:
        """Every question once."""
        return Asked(times=sorted(timed(partial(search, Question(text=text), self.index)) for text in questions))


class Beside:
    """SQLite in a process of its own, so that both are filled at once."""

    def __init__(self, path: str) -> None:
        self._ours, theirs = SPAWNED.Pipe()
        self._process = SPAWNED.Process(target=_lite, args=(path, theirs), daemon=True)
        self._process.start()

    def begin(self, verb: str, given: object) -> None:
        """Let it do something; `end` has what came of it."""
        self._ours.send((verb, given))

    def end(self) -> Any:
        """What came of it."""
        return self._ours.recv()

    def close(self) -> None:
        """Let it go, whatever it is at."""
        self._process.terminate()
        self._process.join()


def questions(count: int = QUERIES) -> list[str]:
    """What is asked, the same in every run."""
    made = Generator(seed=7, then=11)
    return [made.query() for _ in range(count)]


class Client:
    """A process that works on a project: it has its connection and what it asks before the clock runs."""

    here: "Client"

    def __init__(self, url: str, place: tuple[str, str]) -> None:
        self.database, self.space = project(url, place)
        self.asked = questions()

    @classmethod
    def begin(cls, url: str, place: tuple[str, str]) -> None:
        """Make this process one."""
        cls.here = cls(url, place)


def clients(
    url: str, place: tuple[str, str], count: int, verb: Callable[[float, int], Any], seconds: float
) -> list[Any]:
    """What so many processes got done at once in so many seconds."""
    with SPAWNED.Pool(count, Client.begin, (url, place)) as pool:
        # Every process is there, and has done it once, before the clock runs.
        pool.starmap(verb, [(0.5, at) for at in range(count)], 1)
        return pool.starmap(verb, [(seconds, at) for at in range(count)], 1)


def at_once(url: str, place: tuple[str, str], count: int, seconds: float) -> tuple[float, Asked]:
    """Questions a second from so many processes at once, and how long each took."""
    times = sorted(chain.from_iterable(clients(url, place, count, asking, seconds)))
    return len(times) / seconds, Asked(times=times)


def timed(verb: Callable[[], object]) -> float:
    """How long a verb takes."""
    begun = time.perf_counter()
    verb()
    return time.perf_counter() - begun


def project(url: str, place: tuple[str, str]) -> tuple[PostgresDatabase, DatabaseSpace]:
    """A project of a database, from a process that knows no more than the address."""
    found = PostgresDatabase(url).open()
    return found, found.team(place[0], "ada").project(place[1])


def asking(seconds: float, at: int) -> list[float]:
    """Questions until the time is up; how long each took."""
    index, asked = PostgresIndex(Client.here.space), Client.here.asked
    times = list[float]()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        text = asked[(17 * at + len(times)) % len(asked)]
        times.append(timed(partial(search, Question(text=text), index)))
    return times


def _lite(path: str, pipe: Connection) -> None:
    with closing(SqliteIndex.open(path)) as index:
        growing = Growing(index)
        verbs: dict[str, Callable[[Any], object]] = {"grow": growing.grow, "ask": growing.ask}
        while True:
            verb, given = pipe.recv()
            pipe.send(verbs[verb](given))


def _source(path: str, title: str, body: str) -> SourceChange:
    kind, _, file = path.partition("/")
    memory = Memory(id=file.removesuffix(".md"), type=KINDS[kind], title=title, body=body, updated="2026-11-15")
    entry = Entry(memory=memory, scope=Scope.WORKSPACE, path=path, line=1, sha256="0" * 64)
    source = Source(scope=Scope.WORKSPACE, path=path, stamp="1", sha256="0" * 64)
    return SourceChange(source=source, passages=(_passage(entry),))


def _passage(entry: Entry) -> Passage:
    """What the index makes of it, with each word cut once and no more."""
    memory = entry.memory
    words = memory.body.split()
    held = Terms(title=_cut(memory.title.split()), body=_cut([memory.id, *words]))
    names = (normalize_name(word) for word in words if not word.islower() or "_" in word or "/" in word)
    return Passage(entry=entry, terms=held, names=tuple(dict.fromkeys((*names, title_name(memory.title)))))


def _cut(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(_terms_of, words)))
