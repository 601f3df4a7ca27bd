"""Sunwell's stores: decisions and failures as JSONL, learnings, patterns, and the briefing's hazards."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.core.memory import MemoryType, RejectedOption, SaidBy
from holdfast.importers.foreign_text import FIELD, REASON, TITLE, one_line, parse_time
from holdfast.importers.import_values import (
    SUPERSEDES,
    ImportedItem,
    Importer,
    ImportLink,
    ImportSource,
    Read,
    RejectedItem,
)
from holdfast.importers.read_files import (
    ImportFile,
    format_place,
    read_each,
    read_json,
    read_json_lines,
)
from holdfast.importers.sentence_types import build_memory, why_not_alone
from holdfast.importers.stable_keys import ImportKeys

Fields = Mapping[str, Any]
MOST_OPTIONS = 24
NO_MEMORY = {
    "sessions": "a conversation, no memory",
    "embeddings": "numbers made from the memories beside them",
    "codebase": "a map of the code, no memory",
    "graph": "a map of the code, no memory",
    "archive": "a conversation, no memory",
}


def read(source: ImportSource) -> Read:
    """Every store below `.sunwell/`."""
    return read_each(source, _file, ".json", ".jsonl")


def _file(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    name = (file.name or os.path.basename(file.path)).lower()
    reason = next((why for word, why in NO_MEMORY.items() if word in name), "")
    if reason:
        yield RejectedItem(place=format_place(source, file.name), reason=reason)
    elif name.endswith("briefing.json"):
        yield from _briefing(source, file, keys)
    elif name.endswith("patterns.json"):
        yield from _patterns(source, file, keys)
    elif make := next((make for word, make in MAKERS.items() if word in name), None):
        yield from _read_store(source, file, make, keys)
    else:
        yield RejectedItem(place=format_place(source, file.name), reason="no store that is known")


def _objects(file: ImportFile) -> Iterator[tuple[int, Fields | str]]:
    if file.path.endswith(".jsonl"):
        yield from read_json_lines(file.path)
        return
    found = read_json(file.path)
    listed = found.get("learnings", [found]) if isinstance(found, dict) else found if isinstance(found, list) else []
    for each in listed if isinstance(listed, list) else []:
        yield 1, each if isinstance(each, dict) else "is no JSON object"


def _read_store(source: ImportSource, file: ImportFile, make: Callable[[Fields, str], Any], keys: ImportKeys) -> Read:
    last: dict[str, ImportedItem] = {}
    for number, found in _objects(file):
        at = format_place(source, file.name, number)
        if isinstance(found, str):
            yield RejectedItem(place=at, reason=found)
            continue
        made = make(found, at)
        if isinstance(made, str):
            yield RejectedItem(place=at, reason=made)
            continue
        own = str(found.get("id", "")) or keys.of("", "", made.title)
        old = found.get("supersedes")
        # The stores are appended to: the last line with an id counts.
        last[own] = ImportedItem(
            key=f"{source.label}#{one_line(own, 80)}", place=at, memory=made, names=(own,),
            raw=json.dumps(found, sort_keys=True),
            links=(ImportLink(kind=SUPERSEDES, to=str(old)),) if isinstance(old, str) and old else (),
        )  # fmt: skip
    yield from last.values()


def _first_text(found: Fields, *names: str) -> str:
    return next(
        (str(found[name]).strip() for name in names if isinstance(found.get(name), str) and found[name].strip()), ""
    )


def _common_fields(found: Fields) -> dict[str, Any]:
    when = parse_time(found.get("timestamp") or found.get("created_at") or found.get("updated_at"))
    trust = found.get("confidence")
    sure = float(trust) if isinstance(trust, int | float) and not isinstance(trust, bool) and 0 <= trust <= 1 else None
    extra = {
        "session": one_line(_first_text(found, "session_id"), 80),
        "author": one_line(_first_text(found, "author"), 80),
    }
    return {
        "updated": when,
        "valid_from": when[:10],
        "confidence": sure,
        "extra": {key: value for key, value in extra.items() if value},
    }


def read_decision(found: Fields, at: str) -> Any:
    """A decision, with what was not chosen; a text says why not."""
    choice, question = _first_text(found, "choice"), _first_text(found, "question")
    if not choice:
        return "a decision without a choice"
    more = [
        f"{name.title()}: {_first_text(found, name)}" for name in ("rationale", "context") if _first_text(found, name)
    ]
    told = "\n\n".join([f"Decision: {choice}", *more])
    return build_memory(
        MemoryType.DECISION, told, at, SaidBy.AGENT, title=one_line(choice, TITLE), choice=one_line(choice, FIELD),
        question=one_line(question, FIELD), category=one_line(_first_text(found, "category"), 60),
        rejected=tuple(_rejected_options(found.get("rejected")))[:MOST_OPTIONS], **_common_fields(found),
    )  # fmt: skip


def _rejected_options(given: object) -> Iterator[RejectedOption]:
    for each in given if isinstance(given, list) else []:
        if isinstance(each, dict) and _first_text(each, "option"):
            again = _first_text(each, "might_reconsider_when")
            why = _first_text(each, "reason") + (f" (to be looked at again: {again})" if again else "")
            yield RejectedOption(option=one_line(_first_text(each, "option"), TITLE), reason=one_line(why, REASON))
        elif isinstance(each, str) and each.strip():
            name, _, why = each.partition(":")
            yield RejectedOption(option=one_line(name, TITLE), reason=one_line(why, REASON))


def read_failure(found: Fields, at: str) -> Any:
    """An approach that failed; a text says why it is none."""
    told = _first_text(found, "description", "approach")
    if reason := why_not_alone(told):
        return reason
    more = [told, _first_text(found, "fix_attempted") and f"Tried: {_first_text(found, 'fix_attempted')}"]
    return build_memory(
        MemoryType.FAILURE,
        "\n\n".join(filter(None, more)),
        at,
        SaidBy.AGENT,
        title=one_line(told, TITLE),
        error_type=one_line(_first_text(found, "error_type"), 80),
        error_message=one_line(_first_text(found, "error_message")),
        root_cause=one_line(_first_text(found, "root_cause")),
        context=one_line(_first_text(found, "context")),
        **_common_fields(found),
    )


def read_learning(found: Fields, at: str) -> Any:
    """A learning; a text says why it is none."""
    told = _first_text(found, "fact", "content", "text", "learning")
    if reason := why_not_alone(told):
        return reason
    return build_memory(
        MemoryType.LEARNING,
        told,
        at,
        SaidBy.AGENT,
        category=one_line(_first_text(found, "category"), 60),
        **_common_fields(found),
    )


def read_shared(found: Fields, at: str) -> Any:
    """What a team shares: a decision where there is a choice, else a learning."""
    return read_decision(found, at) if _first_text(found, "choice") else read_learning(found, at)


MAKERS: Mapping[str, Callable[[Fields, str], Any]] = {
    "decisions": read_decision,
    "failures": read_failure,
    "learning": read_learning,
    "shared": read_shared,
}


def _patterns(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    found = read_json(file.path)
    at = format_place(source, file.name, 1)
    if not isinstance(found, dict):
        yield RejectedItem(place=at, reason="is no JSON object")
        return
    for name, value in found.items():
        told = (
            value
            if isinstance(value, str)
            else _first_text(value, "description", "pattern", "value")
            if isinstance(value, dict)
            else ""
        )
        words = f"{name.replace('_', ' ')}: {told}" if told else ""
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            words = f"{name.replace('_', ' ')}: {', '.join(value[:12])}"
        if reason := why_not_alone(words) if words else f"{one_line(name, 60)!r} is a measure, no words":
            yield RejectedItem(place=at, reason=reason)
            continue
        made = build_memory(MemoryType.PATTERN, words, at, SaidBy.AGENT)
        yield ImportedItem(
            key=keys.own(f"{format_place(source, file.name)}#{one_line(name, 60)}"), place=at, memory=made, raw=words
        )


def _briefing(source: ImportSource, file: ImportFile, keys: ImportKeys) -> Read:
    found = read_json(file.path)
    at = format_place(source, file.name, 1)
    if not isinstance(found, dict):
        yield RejectedItem(place=at, reason="is no JSON object")
        return
    hazards = found.get("hazards")
    for told in [each for each in hazards if isinstance(each, str)] if isinstance(hazards, list) else []:
        if reason := why_not_alone(told):
            yield RejectedItem(place=at, reason=reason)
            continue
        made = build_memory(
            MemoryType.FAILURE,
            told,
            at,
            SaidBy.AGENT,
            context=one_line(_first_text(found, "mission")),
            **_common_fields(found),
        )
        yield ImportedItem(
            key=keys.of(format_place(source, file.name), "hazards", told), place=at, memory=made, raw=told
        )
    yield RejectedItem(place=at, reason="mission, progress and next action tell where work stands, not what holds")


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
