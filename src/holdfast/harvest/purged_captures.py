"""What was purged of captured sessions, known again in a client's transcript: marks without words, in the journal.

A client keeps its own copy of what was said. A mark is of an event's key, of a prompt's or an answer's words, or of a
tool call's id: whichever way it comes again, it stays gone.
"""

import json
import os
from _blake2 import blake2b
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from holdfast.core.event import Event, JournalRecord
from holdfast.harvest.journal_events import read_all_events
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.standing import digest_words

NAME = "capture.purged"
CLIENT = "holdfast"
FILE = os.path.join("state", "purged.json")
VERSION = 1
AT_ONCE = 500
_SPOKEN = {"prompt": "prompt", "foreign_prompt": "prompt", "answer": "answer", "message": "answer"}


def describe_purged(records: Iterable[JournalRecord]) -> list[Event]:
    """The events that keep the marks of what goes; nothing for what we said ourselves."""
    marks = sorted({mark for record in records if record.data.get("client") != CLIENT for mark in _marks(record.data)})
    chunks = [marks[at : at + AT_ONCE] for at in range(0, len(marks), AT_ONCE)]
    return [
        Event(client=CLIENT, name=NAME, key=f"purged-captures:{_hash(' '.join(some))}", data={"marks": some})
        for some in chunks
    ]


def read_purged(folder: str) -> frozenset[str]:
    """Every mark of a workspace; read from the journal again where the list of them is gone."""
    path = os.path.join(folder, FILE)
    found = read_json_cache(path)
    if found.get("v") == VERSION and isinstance(found.get("marks"), list):
        return frozenset(map(str, found["marks"]))
    journal = os.path.join(folder, "journal")
    if not os.path.isdir(journal):
        return frozenset()
    marks = sorted({mark for record in read_all_events(journal) for mark in _kept(record)})
    write_json_cache(path, {"v": VERSION, "marks": marks})
    return frozenset(marks)


def forget_purged_list(folder: str) -> None:
    """Have the list made anew from the journal."""
    write_json_cache(os.path.join(folder, FILE), {})


def is_purged(key: str, body: bytes, purged: frozenset[str]) -> bool:
    """Whether an event that a transcript brings was purged."""
    if not purged:
        return False
    if f"key:{_hash(key)}" in purged:
        return True
    try:
        event = json.loads(body)
    except ValueError:
        return False
    return isinstance(event, dict) and not purged.isdisjoint(_marks(event))


def _marks(event: Mapping[str, Any]) -> Iterator[str]:
    if event.get("key"):
        yield f"key:{_hash(str(event['key']))}"
    data = event.get("data")
    if not isinstance(data, Mapping):
        return
    said = data.get(_SPOKEN.get(str(event.get("name", "")), ""))
    if isinstance(said, str) and said.strip():
        yield f"words:{digest_words(said)}"
    if isinstance(data.get("call"), str) and data["call"]:
        yield f"call:{_hash(data['call'])}"


def _kept(record: JournalRecord) -> Iterable[str]:
    data = record.data.get("data")
    marks = data.get("marks") if record.data.get("name") == NAME and isinstance(data, Mapping) else None
    return map(str, marks) if isinstance(marks, list) else ()


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
