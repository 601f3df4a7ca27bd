"""How a statement stands now: whether it is memory, waits for review, or was settled; for all that reaches agents.

A statement is words and the events they came in: a note of the buffer, a line of the log, a todo, a sentence of a
briefing. What became of it stands in the vault, among the candidates, and in the tombstones of what was forgotten. Said
again after it was settled, it is a new statement.
"""

import os
from _blake2 import blake2b
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from holdfast.core.memory import Entry, Memory, Status
from holdfast.core.value import Value
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.workspace import App

FORGOTTEN = "memory.forgotten"
# Of a prompt that a hook told, what a transcript says later: nobody typed it.
UNTYPED = "foreign_prompt"
EVIDENCE = "evidence"
FILE = os.path.join("state", "settled.json")
VERSION = 1
# Fewer words than this are said of many things.
FEWEST_WORDS = 4
# The share of their words that two ways to say one thing have in common, in one event.
ALIKE = 0.5


class Standing(StrEnum):
    """What became of a statement."""

    HOLDS = "holds"
    WAITS = "waits"
    SETTLED = "settled"


class StatementRow(Value):
    """One statement of which something became: its words (normalised; none of what was purged), event, and since when.

    `digest` is of the words, where they themselves are gone.
    """

    standing: Standing
    event: str = ""
    words: str = ""
    digest: str = ""
    since: str = ""


def normalise_words(words: str) -> str:
    """Words as they are compared: two texts that say the same are the same."""
    kept = "".join(character if character.isalnum() else " " for character in words.casefold())
    return " ".join(kept.split())


def digest_words(words: str) -> str:
    """A mark of some words, by which they can be known again in a text and not read: how many, and a sum over them."""
    return _digest(normalise_words(words).split())


def _digest(words: Sequence[str]) -> str:
    whole = blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).hexdigest()
    return f"{len(words)}.{whole}"


def _holds_digest(words: str, digest: str) -> bool:
    """Whether as many words as a mark has, one after the other, have this mark."""
    every, count = words.split(), int(digest.partition(".")[0] or 0) if digest[:1].isdigit() else 0
    return 0 < count <= len(every) and any(
        _digest(every[start : start + count]) == digest for start in range(len(every) - count + 1)
    )


class Statements:
    """Everything of which something became; asked for each statement before it is told."""

    def __init__(self, rows: Iterable[StatementRow]) -> None:
        self._rows = list(rows)
        self._by_event: dict[str, list[StatementRow]] = {}
        for row in self._rows:
            if row.event:
                self._by_event.setdefault(row.event, []).append(row)

    def standing(self, words: str, events: Sequence[str] = (), at: str = "") -> Standing | None:
        """What became of some words that were said in these events, at this time; None where nothing did yet."""
        plain = normalise_words(words)
        found = {row.standing for event in events for row in self._by_event.get(event, ()) if _is_of(row, plain)}
        found |= {row.standing for row in self._rows if _says_same(row, plain, at)}
        return next((each for each in Standing if each in found), None)


def _is_of(row: StatementRow, words: str) -> bool:
    """Whether words of one event are those of a row: the same, one inside the other, or many in common."""
    if not row.words:
        return True
    if row.words in words or words in row.words:
        return True
    one, other = set(row.words.split()), set(words.split())
    return len(one & other) >= ALIKE * min(len(one), len(other))


def _says_same(row: StatementRow, words: str, at: str) -> bool:
    """Whether words said elsewhere are those of a row; what was settled before they were said does not count."""
    if row.standing is Standing.SETTLED and at and row.since and at > row.since:
        return False
    if row.digest and not row.words:
        return _holds_digest(words, row.digest)
    if len(row.words.split()) < FEWEST_WORDS or len(words.split()) < FEWEST_WORDS:
        return bool(words) and row.words == words
    return f" {row.words} " in f" {words} " or f" {words} " in f" {row.words} "


def list_statements(entries: Iterable[Entry], holds: Callable[[Memory], bool]) -> list[StatementRow]:
    """What the vault and the candidates tell. `holds`: whether a memory that was accepted holds now."""
    return [row for entry in entries for row in _rows_of(entry.memory, _stands(entry.memory, holds))]


def _stands(memory: Memory, holds: Callable[[Memory], bool]) -> Standing:
    if memory.status is Status.CANDIDATE:
        return Standing.WAITS
    return Standing.HOLDS if memory.status is Status.ACCEPTED and holds(memory) else Standing.SETTLED


def _rows_of(memory: Memory, standing: Standing) -> Iterable[StatementRow]:
    for each in memory.evidence:
        words = normalise_words(each.quote)
        yield StatementRow(standing=standing, event=each.event, words=words, since=memory.updated)
    said = {normalise_words(text) for text in (memory.title.removesuffix("…"), memory.fact)} - {""}
    for words in sorted(said - {normalise_words(each.quote) for each in memory.evidence}):
        yield StatementRow(standing=standing, words=words, since=memory.updated)


def describe_evidence(memory: Memory, *, purged: bool = False) -> list[list[str]]:
    """What a tombstone keeps of a memory: its events, marks of its words, and the words unless they were purged."""
    said = [(each.event, each.quote) for each in memory.evidence] + [("", memory.title)]
    return [
        [event, digest_words(words) if words else "", "" if purged else normalise_words(words)] for event, words in said
    ]


def settle(app: App, evidence: Iterable[Sequence[str]], since: str) -> None:
    """Note that statements were taken away by a person: nobody is told them from now on."""
    rows = [[*each, since] for each in evidence]
    if rows:
        # What is purged after it was forgotten loses its words here too.
        gone = {(event, digest) for event, digest, *_ in rows}
        known = [row for row in _read_settled(app) if (row[0], row[1]) not in gone]
        write_json_cache(os.path.join(app.folder, FILE), {"v": VERSION, "settled": [*known, *rows]})


def drop_settled_words(app: App, gone: Collection[str]) -> None:
    """Keep of what was settled no more than marks: words, and events that are `gone`, are to be purged."""
    rows = _read_settled(app)
    bare = [[event if event not in gone else "", digest, "", since] for event, digest, _, since in rows]
    if bare != rows:
        write_json_cache(os.path.join(app.folder, FILE), {"v": VERSION, "settled": bare})


def list_settled(app: App) -> list[StatementRow]:
    """What was forgotten or purged here."""
    return [
        StatementRow(standing=Standing.SETTLED, event=event, digest=digest, words=words, since=since)
        for event, digest, words, since in _read_settled(app)
    ]


def _read_settled(app: App) -> list[list[str]]:
    path = os.path.join(app.folder, FILE)
    found = read_json_cache(path)
    rows = found.get("settled")
    if found.get("v") == VERSION and isinstance(rows, list):
        return [[str(part) for part in row] for row in rows if isinstance(row, list) and len(row) == KEPT + 1]
    rows = [[*map(str, each), record.ts] for record in app.journal.read() for each in _tombstone_evidence(record.data)]
    if rows:
        write_json_cache(path, {"v": VERSION, "settled": rows})
    return rows


# What a tombstone keeps of a statement: the event, the mark of the words, the words. A row of the file has when, too.
KEPT = 3


def _tombstone_evidence(data: Mapping[str, Any]) -> list[Sequence[str]]:
    if not isinstance(data.get("data"), dict):
        return []
    if data.get("name") == UNTYPED and data["data"].get("of"):
        return [[data["data"]["of"], "", ""]]
    if data.get("name") != FORGOTTEN:
        return []
    found = data["data"].get(EVIDENCE)
    return [each for each in found if isinstance(each, list) and len(each) == KEPT] if isinstance(found, list) else []
