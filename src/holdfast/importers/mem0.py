"""mem0's export: a JSON document with memories."""

import json
import os
from collections.abc import Mapping
from typing import Any

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.foreign_text import one_line, parse_time, strip_markdown
from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, Read, RejectedItem
from holdfast.importers.read_files import (
    FileUnreadable,
    ImportFile,
    format_place,
    read_each,
    read_json,
    read_text,
)
from holdfast.importers.sentence_types import build_memory, kind_named, kind_of, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

LISTS = ("results", "memories", "data", "items")
MOST_TAGS = 16
OWNERS = ("user_id", "agent_id", "run_id", "actor_id", "role", "app_id")


def read(source: ImportSource) -> Read:
    """The memories of an export, or of a folder of its pages."""
    return read_each(source, _file, ".json", deepest=2)


def _file(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    found = find_memories(read_json(file.path))
    if found is None:
        yield RejectedItem(place=format_place(source, file.name, 1), reason="holds no list of memories")
    for number, each in enumerate(found or (), 1):
        yield _import_memory(each, f"{format_place(source, file.name)}:{number}", keys)


def find_memories(found: Any) -> list[Any] | None:
    """The list of memories in a document; None when there is none."""
    if isinstance(found, Mapping):
        return next((found[name] for name in LISTS if isinstance(found.get(name), list)), None)
    return found if isinstance(found, list) else None


def _import_memory(found: Any, at: str, keys: ImportKeys) -> ImportedItem | RejectedItem:
    if not isinstance(found, Mapping):
        return RejectedItem(place=at, reason="is no memory: no JSON object")
    told = str(found.get("memory") or found.get("text") or found.get("data") or "").strip()
    if not told:
        return RejectedItem(place=at, reason="has no words")
    if reason := why_not_alone(told):
        return RejectedItem(place=at, reason=reason)
    given = found.get("metadata")
    meta: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    tags = [str(each) for each in found.get("categories") or () if isinstance(each, str)]
    category = str(meta.get("category") or meta.get("type") or (tags[0] if tags else ""))
    kind = kind_named(category) or kind_of(strip_markdown(told))
    begun, when = parse_time(found.get("created_at")), parse_time(found.get("updated_at") or found.get("created_at"))
    extra = {name: one_line(str(found[name]), 80) for name in OWNERS if found.get(name)}
    extra |= {
        f"mem0_{name}"[:60]: one_line(str(value), 200)
        for name, value in list(meta.items())[:12]
        if isinstance(value, str | int | float)
    }
    made = build_memory(
        kind, told, at, SaidBy.AGENT, updated=when, valid_from=begun[:10],
        tags=tuple(one_line(tag, 40) for tag in tags[:MOST_TAGS]),
        category=one_line(category, 60) if kind in {MemoryType.LEARNING, MemoryType.DECISION} else "",
        valid_until=parse_time(found.get("expiration_date"))[:10], extra=extra,
    )  # fmt: skip
    own = str(found.get("id") or "")
    key = one_line(own, 80) if own else keys.of("", "", told)
    return ImportedItem(
        key=keys.own(key), place=at, memory=made, raw=json.dumps(found, sort_keys=True, default=str), names=(own,)
    )


def detect(path: str) -> float:
    """Sure of a JSON document whose memories have a hash or an owner."""
    if not os.path.isfile(path) or not path.lower().endswith(".json"):
        return 0.0
    try:
        begin = read_text(path, 64 << 20)[:4000]
    except FileUnreadable:
        return 0.0
    has = '"memory"' in begin
    return 0.9 if has and ('"hash"' in begin or '"user_id"' in begin or '"results"' in begin) else 0.6 if has else 0.0


MEM0 = Importer(
    name="mem0",
    reads="a JSON export of mem0 (get_all, or pages of the platform)",
    lies="wherever you exported it to",
    detect=detect,
    read=read,
)
