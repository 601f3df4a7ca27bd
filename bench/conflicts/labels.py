"""The labelled pairs: written by hand, one JSON object a line, in pairs/."""

import glob
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.memory import Memory, MemoryType, RejectedOption
from holdfast.core.relation import Kind
from holdfast.core.value import Value

SETS = ("tune", "held")
FOLDER = os.path.join(os.path.dirname(__file__), "pairs")


class Pair(Value):
    """A new memory, an old one, and what the new one is to it."""

    id: str
    want: Kind
    about: str
    new: Memory
    old: Memory


class SpeechPair(Value):
    """Two statements as people say them; `reversal`: the new one turns the old one around."""

    id: str
    reversal: bool
    new: Memory
    old: Memory


def load_speech(name: str) -> list[SpeechPair]:
    """Statements reversed, and statements that only look alike. `held` was written before anything was learned."""
    with open(os.path.join(FOLDER, f"speech-{name}.jsonl"), encoding="utf-8") as file:
        return [_speech_pair(row) for row in map(json.loads, file)]


def _speech_pair(row: Mapping[str, Any]) -> SpeechPair:
    new, old = _memory(row["new"], "NEW"), _memory(row["old"], "OLD")
    return SpeechPair(id=row["id"], reversal=row["reversal"], new=new, old=old)


def load(name: str) -> list[Pair]:
    """The pairs of a set."""
    return [_pair(row) for row in _rows(name)]


def _rows(name: str) -> Iterator[dict[str, Any]]:
    for path in sorted(glob.glob(os.path.join(FOLDER, f"{name}-*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            yield from map(json.loads, file)


def _pair(row: Mapping[str, Any]) -> Pair:
    return Pair(
        id=row["id"], want=Kind(row["want"]), about=row.get("about", ""),
        new=_memory(row["new"], "NEW"), old=_memory(row["old"], "OLD"),
    )  # fmt: skip


def _memory(row: Mapping[str, Any], given: str) -> Memory:
    fields = dict(row)
    kind = MemoryType(fields.pop("type"))
    options = tuple(_option(text) for text in fields.pop("rejected", ()))
    lists: dict[str, Any] = {
        name: tuple(fields.pop(name)) for name in ("paths", "tags", "supersedes") if name in fields
    }
    return Memory(id=fields.pop("id", given), type=kind, rejected=options, **lists, **fields)


def _option(text: str) -> RejectedOption:
    option, _, reason = text.partition(": ")
    return RejectedOption(option=option, reason=reason)
