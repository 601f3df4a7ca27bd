"""Memories and what is known about them, for tests of the curator."""

from datetime import UTC, datetime
from typing import Any

from holdfast.core.memory import Memory, MemoryType
from holdfast.curator.curator_input import CuratorInput

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def memory(name: str, title: str = "", **fields: Any) -> Memory:
    kinds = {"DEC": "decision", "ASM": "assumption", "INV": "invariant", "FAIL": "failure", "PAT": "pattern"}
    kind = MemoryType(kinds.get(name.partition("-")[0], "learning"))
    said = {"body": title, "valid_from": "2026-11-01", "updated": "2026-11-01", **fields}
    return Memory(id=name, type=kind, title=title, **said)


def world(*memories: Memory, **known: Any) -> CuratorInput:
    given = {
        "memories": memories, "holding": memories, "there": frozenset(each.id for each in memories), "newer": {},
        "since": {}, "uses": {}, "drift": {}, "lost": {}, "dropped": {},
    }  # fmt: skip
    return CuratorInput(now=NOW, **{**given, **known})
