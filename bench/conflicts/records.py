"""Decision records that others superseded: is the old one among the first that are proposed, and what is called so?

`--data` names a folder with `index.json`, `superseded.json` and `docs/`: see its README. What gives the answer away
(status lines, links and sentences that name a record, numbers of records) is taken out before anything is read.
"""

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from holdfast.conflicts.conflict_rules import Nearness
from holdfast.conflicts.near_query import find_nearest
from holdfast.conflicts.read_memory import read_memory
from holdfast.conflicts.relate import relate_readings
from holdfast.core.memory import Entry, Memory, MemoryType, Scope
from holdfast.core.relation import ASKING, Kind, Relation
from holdfast.core.search import Change, Question, Source, SourceChange
from holdfast.core.value import Value
from holdfast.importers.decision_records import parse_record
from holdfast.index.entry_passages import build_passage
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.recall.select import search

NEIGHBOURS = 20
FIRST = 5
NOW = datetime(2026, 11, 15, tzinfo=UTC)
GATED = (Kind.CONTRADICTS, Kind.SUPERSEDES)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_STATUS = re.compile(
    r"^(#{1,4})[ \t]*(?:\d+\.?[ \t]*)?(?:status|state|changelog|change log|history|references|related[^\n]*"
    r"|supersed[^\n]*|links|amend[^\n]*)[ \t]*:?[ \t]*\n.*?(?=^#{1,4}[ \t]|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_REPLACED = r"supersed|replaced by|replaces|amend(?:s|ed)|obsolet|deprecat"
_TOLD = re.compile(
    rf"^.*(?:{_REPLACED})[^\n]*(?:adr|\d{{3,4}}|\]\(|\.md)[^\n]*$|^\W*(?:status|date)\W.*$"
    rf"|^.*(?:adr|\]\(|\.md)[^\n]*(?:{_REPLACED})[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NUMBER = re.compile(r"\b(?:adr|rfc)[-_ #]*0*\d+\b:?|\b0\d{3}\b-?", re.IGNORECASE)


class Outcome(Value):
    """One pair: what was proposed over the repository's records, and which was the superseded one."""

    repository: str
    new: str
    old: str
    proposed: tuple[Relation, ...]
    others: frozenset[str]

    @property
    def olds(self) -> frozenset[str]:
        """All that the new one superseded."""
        return self.others | {self.old}

    @property
    def near(self) -> bool:
        """Whether the old one is among those that were compared at all."""
        return any(relation.old == self.old for relation in self.proposed)

    @property
    def place(self) -> int:
        """Where the old one stands among those that were compared, in the order they are shown; 0 where it is not."""
        names = [relation.old for relation in self.proposed]
        return names.index(self.old) + 1 if self.old in names else 0

    @property
    def kind(self) -> Kind:
        """What the old one is called."""
        return next((each.kind for each in self.proposed if each.old == self.old), Kind.UNRELATED)


class AcceptedPair(Value):
    """Two accepted records that are told as a conflict; `known`: a record says that one superseded the other."""

    kind: Kind
    known: bool


def find_accepted_pairs(folder: str) -> tuple[list[AcceptedPair], int]:
    """Every pair of accepted records that is told as a conflict, and how many records there are."""
    gold = read_pairs(folder)
    told: dict[tuple[str, frozenset[str]], AcceptedPair] = {}
    many = 0
    for repository, memories in read_memories(folder).items():
        store, many = store_of(memories.values()), many + len(memories)
        reads = {name: read_memory(memory) for name, memory in memories.items()}
        for name, memory in memories.items():
            near = [each.id for each in neighbours(memory, list(memories.values()), store) if each.id != name]
            for each in relate_readings(reads[name], [reads[other] for other in near], now=NOW):
                if each.kind in GATED and each.rule not in ASKING:
                    known = bool({(repository, name, each.old), (repository, each.old, name)} & gold)
                    told.setdefault(
                        (repository, frozenset((name, each.old))), AcceptedPair(kind=each.kind, known=known)
                    )
    return list(told.values()), many


def outcomes(folder: str, near_for: Callable[[Sequence[Memory]], Nearness]) -> list[Outcome]:
    """What is proposed for each superseding record, of those before it: the gate sees no others."""
    pairs = _json(folder, "superseded.json")
    olds = defaultdict(set)
    for pair in pairs:
        olds[pair["repo"], pair["new"]].add(pair["old"])
    held: dict[str, Mapping[str, Memory]] = {}
    stores: dict[str, SqliteIndex] = {}
    found: dict[tuple[str, str], tuple[Relation, ...]] = {}
    for repository, new in olds:
        memories = held.setdefault(repository, _memories(folder, repository))
        store = stores.setdefault(repository, store_of(memories.values()))
        near_ones = [
            each for each in neighbours(memories[new], list(memories.values()), store)
            if record_number(each.id) < record_number(new) or each.id in olds[repository, new]
        ]  # fmt: skip
        near = near_for([memories[new], *near_ones])
        found[repository, new] = relate_readings(
            read_memory(memories[new]), [read_memory(each) for each in near_ones if each.id != new], near, now=NOW
        )
    return [
        Outcome(
            repository=pair["repo"], new=pair["new"], old=pair["old"], proposed=found[pair["repo"], pair["new"]],
            others=frozenset(olds[pair["repo"], pair["new"]] - {pair["old"]}),
        )
        for pair in pairs
    ]  # fmt: skip


def neighbours(new: Memory, others: Sequence[Memory], store: SqliteIndex) -> list[Memory]:
    """The records nearest by words, as the gate looks for them."""
    known = {other.id: other for other in others}
    found = find_nearest(new, lambda text, most: _hits(store, text, most), NEIGHBOURS)
    return [known[name] for name in found if name in known]


def stripped(text: str) -> str:
    """A record without what says which record replaced which."""
    plain = _FRONT.sub("", text.replace("\r\n", "\n"))
    plain = _STATUS.sub("", plain)
    return _NUMBER.sub("", _LINK.sub(r"\1", _TOLD.sub("", plain)))


def record_number(name: str) -> tuple[int, str]:
    """The order in which records were written: by the number in the file's name."""
    found = re.search(r"\d+", name.rsplit("/", 1)[-1])
    return int(found[0]) if found else 0, name


def read_pairs(folder: str) -> set[tuple[str, str, str]]:
    """Every pair: repository, the new one, the old one."""
    return {(pair["repo"], pair["new"], pair["old"]) for pair in _json(folder, "superseded.json")}


def read_memories(folder: str) -> Mapping[str, Mapping[str, Memory]]:
    """All records by repository and file, without what gives the answer away."""
    names = dict.fromkeys(row["repo"] for row in _json(folder, "index.json"))
    return {name: _memories(folder, name) for name in names}


def _memories(folder: str, repository: str) -> Mapping[str, Memory]:
    rows = [row for row in _json(folder, "index.json") if row["repo"] == repository]
    return {row["file"]: _memory(folder, row) for row in rows}


def _memory(folder: str, row: Mapping[str, Any]) -> Memory:
    base = os.path.join(folder, "docs", row["repo"].replace("/", "+"))
    with open(_path(base, row["file"]), encoding="utf-8", errors="replace") as file:
        made = parse_record(stripped(file.read()), _NUMBER.sub("", os.path.basename(row["file"])))
    return Memory(
        id=row["file"], type=MemoryType.DECISION, title=made.title, question=made.question, choice=made.choice,
        rejected=made.rejected, body=made.body,
    )  # fmt: skip


def _path(base: str, name: str) -> str:
    for folder in (base, os.path.join(base, "source")):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    return os.path.join(base, name)


def store_of(memories: Iterable[Memory]) -> SqliteIndex:
    """A store of records, to be searched."""
    store = SqliteIndex.open(":memory:")
    store.apply(Change(sources=tuple(map(_source, memories))))
    return store


def _source(memory: Memory) -> SourceChange:
    entry = Entry(memory=memory, scope=Scope.WORKSPACE, path=f"memory/{memory.id}", line=1, sha256="")
    source = Source(scope=entry.scope, path=entry.path, stamp="1", sha256="")
    return SourceChange(source=source, passages=(build_passage(entry),), problems=())


def _hits(store: SqliteIndex, text: str, most: int) -> list[str]:
    return [hit.entry.memory.id for hit in search(Question(text=text, limit=most, now=NOW), store).hits]


def _json(folder: str, name: str) -> Any:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)
