"""mem0's export: a JSON document with memories."""

import json
import os
from collections.abc import Mapping
from typing import Any

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.foreign_text import bare, line, time_of
from holdfast.importers.import_values import Imported, Importer, Read, Rejected, Source
from holdfast.importers.read_files import Unreadable, document, files, place, text, unreadable
from holdfast.importers.sentence_types import kind_named, kind_of, lacks, memory
from holdfast.importers.stable_keys import Keys

LISTS = ("results", "memories", "data", "items")
MOST_TAGS = 16
OWNERS = ("user_id", "agent_id", "run_id", "actor_id", "role", "app_id")


def read(source: Source) -> Read:
    """The memories of an export, or of a folder of its pages."""
    keys = Keys()
    for file in files(source, ".json", deepest=2):
        if isinstance(file, Rejected):
            yield file
            continue
        try:
            found = listed(document(file.path))
        except Unreadable as error:
            yield unreadable(source, file.name, error)
            continue
        if found is None:
            yield Rejected(place=place(source, file.name, 1), reason="holds no list of memories")
        for number, each in enumerate(found or (), 1):
            yield _one(each, f"{place(source, file.name)}:{number}", keys)


def listed(found: Any) -> list[Any] | None:
    """The list of memories in a document; None when there is none."""
    if isinstance(found, Mapping):
        return next((found[name] for name in LISTS if isinstance(found.get(name), list)), None)
    return found if isinstance(found, list) else None


def _one(found: Any, at: str, keys: Keys) -> Imported | Rejected:
    if not isinstance(found, Mapping):
        return Rejected(place=at, reason="is no memory: no JSON object")
    told = str(found.get("memory") or found.get("text") or found.get("data") or "").strip()
    if not told:
        return Rejected(place=at, reason="has no words")
    if reason := lacks(told):
        return Rejected(place=at, reason=reason)
    given = found.get("metadata")
    meta: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    tags = [str(each) for each in found.get("categories") or () if isinstance(each, str)]
    category = str(meta.get("category") or meta.get("type") or (tags[0] if tags else ""))
    kind = kind_named(category) or kind_of(bare(told))
    begun, when = time_of(found.get("created_at")), time_of(found.get("updated_at") or found.get("created_at"))
    extra = {name: line(str(found[name]), 80) for name in OWNERS if found.get(name)}
    extra |= {
        f"mem0_{name}"[:60]: line(str(value), 200)
        for name, value in list(meta.items())[:12]
        if isinstance(value, str | int | float)
    }
    made = memory(
        kind, told, at, SaidBy.AGENT, updated=when, valid_from=begun[:10],
        tags=tuple(line(tag, 40) for tag in tags[:MOST_TAGS]),
        category=line(category, 60) if kind in {MemoryType.LEARNING, MemoryType.DECISION} else "",
        valid_until=time_of(found.get("expiration_date"))[:10], extra=extra,
    )  # fmt: skip
    own = str(found.get("id") or "")
    key = line(own, 80) if own else keys.of("", "", told)
    return Imported(
        key=keys.own(key), place=at, memory=made, raw=json.dumps(found, sort_keys=True, default=str), names=(own,)
    )


def detect(path: str) -> float:
    """Sure of a JSON document whose memories have a hash or an owner."""
    if not os.path.isfile(path) or not path.lower().endswith(".json"):
        return 0.0
    try:
        begin = text(path, 64 << 20)[:4000]
    except Unreadable:
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
