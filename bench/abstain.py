"""Packs for goals that memory knows nothing of must be empty, and for those it knows, hold the memory that counts.

The set is ours: bench/goals/memories.tsv (a web shop's memory) and goals.tsv, both written before the floor was
measured. Words alone find no paraphrase; what is missed is printed.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from bench.recall.encoders import stronger
from bench.table import Row, table
from holdfast.core.embedder import Embedder
from holdfast.core.memory import Entry, Memory, MemoryType, RejectedOption, Scope
from holdfast.core.passage_store import MEMORY, Vector
from holdfast.core.search import Change, Source, SourceChange
from holdfast.core.value import Value, replace
from holdfast.embed.app_embedders import OpenedEmbedders, make_vectors
from holdfast.index.entry_passages import build_passage
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.recall.pack import MemoryPack, build_pack
from holdfast.recall.relevance import find_relevant

PLACE = os.path.join(os.path.dirname(__file__), "goals")
NOTHING = "-"
BUDGET = 1500


class Tried(Value):
    """A goal, the memory it must bring (or none), and its pack."""

    goal: str
    wanted: str
    pack: MemoryPack

    @property
    def right(self) -> bool:
        """Whether the pack holds what it must; for a goal that nothing matters to, whether it is empty."""
        return self.pack.empty if self.wanted == NOTHING else self.wanted in self.pack.ids()


def tried() -> list[Tried]:
    """Every goal, packed."""
    store, embedders = embedded_store(memories())
    return [
        Tried(goal=goal, wanted=wanted, pack=build_pack(find_relevant(goal, store, embedders=embedders).pairs, BUDGET))
        for goal, wanted in goals()
    ]


def embedded_store(kept: Iterable[Memory]) -> tuple[SqliteIndex, OpenedEmbedders]:
    """An index of memories with their vectors, and what made those: granite, as a normal install has it."""
    store = SqliteIndex.open(":memory:")
    store.apply(Change(sources=tuple(map(source_of, kept))))
    encoder = _granite()
    while some := store.without_vector(MEMORY, encoder.name, 256):
        store.put_vectors(MEMORY, encoder.name, _known_vectors(encoder, some))
    return store, OpenedEmbedders(encoder=encoder)


# The same memories lie in many of the stores that are compared.
_vectors: dict[str, Vector] = {}


def _known_vectors(encoder: Embedder, some: Sequence[tuple[int, str]]) -> list[Vector]:
    """The vectors of some rows; a text that was embedded before is not embedded again."""
    new = [text for text in dict.fromkeys(text for _, text in some) if text not in _vectors]
    made = make_vectors(encoder, list(enumerate(new))) if new else []
    _vectors.update(zip(new, made, strict=True))
    return [replace(_vectors[text], row=row) for row, text in some]


@cache
def _granite() -> Embedder:
    return stronger("granite")


def main() -> None:
    """Print the tables."""
    goals = tried()
    rows: list[Row] = []
    for name, part in (
        ("nothing kept matters: the pack is empty", [each for each in goals if each.wanted == NOTHING]),
        ("something matters: the pack holds it", [each for each in goals if each.wanted != NOTHING]),
    ):
        right = sum(each.right for each in part)
        tokens = sum(each.pack.tokens for each in part) / len(part)
        rows.append((name, str(len(part)), str(right), f"{right / len(part):.2f}", f"{tokens:.0f}"))
    print(table("Packs: abstention", ("goals", "how many", "right", "share", "tokens a pack"), rows))
    if not all(each.right for each in goals):
        print(table("Packs: what went wrong", ("goal", "wanted", "got"), _wrong(goals)))


def _wrong(goals: list[Tried]) -> list[Row]:
    return [(each.goal, each.wanted, " ".join(each.pack.ids()) or NOTHING) for each in goals if not each.right]


def goals() -> list[tuple[str, str]]:
    """Every goal, and the memory it must bring."""
    return [(goal, wanted) for goal, wanted in _rows("goals.tsv")]


def _rows(name: str) -> Iterator[list[str]]:
    with open(os.path.join(PLACE, name), encoding="utf-8") as file:
        yield from (line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#"))


def memories() -> Iterator[Memory]:
    """The memory of the shop."""
    for memory_id, kind, title, more, body in _rows("memories.tsv"):
        fields: dict[str, Any] = {}
        rejected = []
        for pair in filter(None, more.split("; ")):
            key, _, value = pair.partition("=")
            if key == "rejected":
                option, _, reason = value.partition(": ")
                rejected.append(RejectedOption(option=option, reason=reason))
            else:
                fields[key] = _value(key, value)
        yield Memory(id=memory_id, type=MemoryType(kind), title=title, body=body, rejected=tuple(rejected), **fields)


def _value(key: str, value: str) -> object:
    if key in {"tags", "paths"}:
        return tuple(value.split(","))
    return int(value) if key == "attempts" else value


def source_of(memory: Memory) -> SourceChange:
    """A memory as the index takes it."""
    path = f"memory/{memory.id}.md"
    entry = Entry(memory=memory, scope=Scope.WORKSPACE, path=path, line=1, sha256="0" * 64)
    source = Source(scope=Scope.WORKSPACE, path=path, stamp="1", sha256="0" * 64)
    return SourceChange(source=source, passages=(build_passage(entry),))


if __name__ == "__main__":
    main()
