"""Sunwell's stores: decisions and failures as JSONL, learnings, patterns, and the briefing's hazards."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.core.memory import MemoryType, RejectedOption, SaidBy
from holdfast.importers.foreign_text import FIELD, REASON, TITLE, line, time_of
from holdfast.importers.import_values import SUPERSEDES, Imported, Importer, Link, Read, Rejected, Source
from holdfast.importers.read_files import Found, Unreadable, document, files, lines_of_json, place, unreadable
from holdfast.importers.sentence_types import lacks, memory
from holdfast.importers.stable_keys import Keys

Fields = Mapping[str, Any]
MOST_OPTIONS = 24
NO_MEMORY = {
    "sessions": "a conversation, no memory",
    "embeddings": "numbers made from the memories beside them",
    "codebase": "a map of the code, no memory",
    "graph": "a map of the code, no memory",
    "archive": "a conversation, no memory",
}


def read(source: Source) -> Read:
    """Every store below `.sunwell/`."""
    keys = Keys()
    for file in files(source, ".json", ".jsonl"):
        if isinstance(file, Rejected):
            yield file
            continue
        try:
            yield from _file(source, file, keys)
        except Unreadable as error:
            yield unreadable(source, file.name, error)


def _file(source: Source, file: Found, keys: Keys) -> Read:
    name = (file.name or os.path.basename(file.path)).lower()
    reason = next((why for word, why in NO_MEMORY.items() if word in name), "")
    if reason:
        yield Rejected(place=place(source, file.name), reason=reason)
    elif name.endswith("briefing.json"):
        yield from _briefing(source, file, keys)
    elif name.endswith("patterns.json"):
        yield from _patterns(source, file, keys)
    elif make := next((make for word, make in MAKERS.items() if word in name), None):
        yield from _store(source, file, make, keys)
    else:
        yield Rejected(place=place(source, file.name), reason="no store that is known")


def _objects(file: Found) -> Iterator[tuple[int, Fields | str]]:
    if file.path.endswith(".jsonl"):
        yield from lines_of_json(file.path)
        return
    found = document(file.path)
    listed = found.get("learnings", [found]) if isinstance(found, dict) else found if isinstance(found, list) else []
    for each in listed if isinstance(listed, list) else []:
        yield 1, each if isinstance(each, dict) else "is no JSON object"


def _store(source: Source, file: Found, make: Callable[[Fields, str], Any], keys: Keys) -> Read:
    last: dict[str, Imported] = {}
    for number, found in _objects(file):
        at = place(source, file.name, number)
        if isinstance(found, str):
            yield Rejected(place=at, reason=found)
            continue
        made = make(found, at)
        if isinstance(made, str):
            yield Rejected(place=at, reason=made)
            continue
        own = str(found.get("id", "")) or keys.of("", "", made.title)
        old = found.get("supersedes")
        # The stores are appended to: the last line with an id counts.
        last[own] = Imported(
            key=f"{source.label}#{line(own, 80)}", place=at, memory=made, names=(own,),
            raw=json.dumps(found, sort_keys=True),
            links=(Link(kind=SUPERSEDES, to=str(old)),) if isinstance(old, str) and old else (),
        )  # fmt: skip
    yield from last.values()


def _said(found: Fields, *names: str) -> str:
    return next(
        (str(found[name]).strip() for name in names if isinstance(found.get(name), str) and found[name].strip()), ""
    )


def _common(found: Fields) -> dict[str, Any]:
    when = time_of(found.get("timestamp") or found.get("created_at") or found.get("updated_at"))
    trust = found.get("confidence")
    sure = float(trust) if isinstance(trust, int | float) and not isinstance(trust, bool) and 0 <= trust <= 1 else None
    extra = {"session": line(_said(found, "session_id"), 80), "author": line(_said(found, "author"), 80)}
    return {
        "updated": when,
        "valid_from": when[:10],
        "confidence": sure,
        "extra": {key: value for key, value in extra.items() if value},
    }


def decision(found: Fields, at: str) -> Any:
    """A decision, with what was not chosen; a text says why not."""
    choice, question = _said(found, "choice"), _said(found, "question")
    if not choice:
        return "a decision without a choice"
    more = [f"{name.title()}: {_said(found, name)}" for name in ("rationale", "context") if _said(found, name)]
    told = "\n\n".join([f"Decision: {choice}", *more])
    return memory(
        MemoryType.DECISION, told, at, SaidBy.AGENT, title=line(choice, TITLE), choice=line(choice, FIELD),
        question=line(question, FIELD), category=line(_said(found, "category"), 60),
        rejected=tuple(_rejected(found.get("rejected")))[:MOST_OPTIONS], **_common(found),
    )  # fmt: skip


def _rejected(given: object) -> Iterator[RejectedOption]:
    for each in given if isinstance(given, list) else []:
        if isinstance(each, dict) and _said(each, "option"):
            again = _said(each, "might_reconsider_when")
            why = _said(each, "reason") + (f" (to be looked at again: {again})" if again else "")
            yield RejectedOption(option=line(_said(each, "option"), TITLE), reason=line(why, REASON))
        elif isinstance(each, str) and each.strip():
            name, _, why = each.partition(":")
            yield RejectedOption(option=line(name, TITLE), reason=line(why, REASON))


def failure(found: Fields, at: str) -> Any:
    """An approach that failed; a text says why it is none."""
    told = _said(found, "description", "approach")
    if reason := lacks(told):
        return reason
    more = [told, _said(found, "fix_attempted") and f"Tried: {_said(found, 'fix_attempted')}"]
    return memory(
        MemoryType.FAILURE, "\n\n".join(filter(None, more)), at, SaidBy.AGENT, title=line(told, TITLE),
        error_type=line(_said(found, "error_type"), 80), error_message=line(_said(found, "error_message")),
        root_cause=line(_said(found, "root_cause")), context=line(_said(found, "context")), **_common(found),
    )  # fmt: skip


def learning(found: Fields, at: str) -> Any:
    """A learning; a text says why it is none."""
    told = _said(found, "fact", "content", "text", "learning")
    if reason := lacks(told):
        return reason
    return memory(
        MemoryType.LEARNING, told, at, SaidBy.AGENT, category=line(_said(found, "category"), 60), **_common(found)
    )


def shared(found: Fields, at: str) -> Any:
    """What a team shares: a decision where there is a choice, else a learning."""
    return decision(found, at) if _said(found, "choice") else learning(found, at)


MAKERS: Mapping[str, Callable[[Fields, str], Any]] = {
    "decisions": decision,
    "failures": failure,
    "learning": learning,
    "shared": shared,
}


def _patterns(source: Source, file: Found, keys: Keys) -> Read:
    found = document(file.path)
    at = place(source, file.name, 1)
    if not isinstance(found, dict):
        yield Rejected(place=at, reason="is no JSON object")
        return
    for name, value in found.items():
        told = (
            value
            if isinstance(value, str)
            else _said(value, "description", "pattern", "value")
            if isinstance(value, dict)
            else ""
        )
        words = f"{name.replace('_', ' ')}: {told}" if told else ""
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            words = f"{name.replace('_', ' ')}: {', '.join(value[:12])}"
        if reason := lacks(words) if words else f"{line(name, 60)!r} is a measure, no words":
            yield Rejected(place=at, reason=reason)
            continue
        made = memory(MemoryType.PATTERN, words, at, SaidBy.AGENT)
        yield Imported(key=keys.own(f"{place(source, file.name)}#{line(name, 60)}"), place=at, memory=made, raw=words)


def _briefing(source: Source, file: Found, keys: Keys) -> Read:
    found = document(file.path)
    at = place(source, file.name, 1)
    if not isinstance(found, dict):
        yield Rejected(place=at, reason="is no JSON object")
        return
    hazards = found.get("hazards")
    for told in [each for each in hazards if isinstance(each, str)] if isinstance(hazards, list) else []:
        if reason := lacks(told):
            yield Rejected(place=at, reason=reason)
            continue
        made = memory(
            MemoryType.FAILURE, told, at, SaidBy.AGENT, context=line(_said(found, "mission")), **_common(found)
        )
        yield Imported(key=keys.of(place(source, file.name), "hazards", told), place=at, memory=made, raw=told)
    yield Rejected(place=at, reason="mission, progress and next action tell where work stands, not what holds")


def detect(path: str) -> float:
    """Sure of the folder's name and of its stores."""
    name = os.path.basename(path.rstrip("/"))
    if os.path.isfile(path):
        return 0.5 if name in {"decisions.jsonl", "failures.jsonl", "briefing.json"} else 0.0
    stores = (
        "intelligence/decisions.jsonl",
        "intelligence/failures.jsonl",
        "briefing.json",
        "memory/briefing.json",
        "decisions.jsonl",
    )
    has = any(os.path.isfile(os.path.join(path, store)) for store in stores)
    return 0.99 if name == ".sunwell" else 0.7 if has else 0.0


SUNWELL = Importer(
    name="sunwell",
    reads="Sunwell's stores: decisions, failures, learnings, patterns, team, the briefing's hazards",
    lies=".sunwell",
    detect=detect,
    read=read,
)
