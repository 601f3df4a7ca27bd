"""What the work left, as texts that go to a team and come from one: each in one form only, and checked as a stranger's.

docs/formats/database.md, "Records", says what they hold.
"""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from math import isfinite
from typing import Any

from holdfast.core.run import RUN_NAME
from holdfast.llm.cost_ledger import CostEntry, entry_from_json, entry_to_json
from holdfast.redact.clean import clean

RECORDS = "records"
RUN, RATING, COST = "run", "rating", "cost"
RUN_FILE, EVENTS_FILE = "run.json", "events.jsonl"
LARGEST, LARGEST_LINE = 8 << 20, 8 << 10
CHAT = "chat"
_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
_RATED = ("comment", "confidence", "rating", "session", "source", "ts")
_SOURCES = ("explicit", "implicit")
# What readers of a run take for granted of run.json, where it is there.
_RUN_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "goal": str, "status": str, "started": str, "ended": str, "model": str, "planner": str, "trust": str,
    "plan": dict, "score": (int, float), "rejected_plans": list, "budget": dict,
}  # fmt: skip
_STATUSES = ("running", "planned", "complete", "failed", "cancelled")


def split_record_path(path: str) -> tuple[str, str]:
    """The kind and the id of a record's path; empty where it is none."""
    place, _, rest = path.partition("/")
    kind, _, name = rest.partition("/")
    return (kind, name) if place == RECORDS else ("", "")


def path_of(kind: str, name: str) -> str:
    """The path of a record."""
    return f"{RECORDS}/{kind}/{name}"


def is_run_file(name: str) -> bool:
    """Whether an id can be of a run's file: nothing else is ever written or removed."""
    run, _, file = name.partition("/")
    return RUN_NAME.fullmatch(run) is not None and file in (RUN_FILE, EVENTS_FILE)


def build_run_texts(name: str, state: bytes, events: bytes) -> dict[str, bytes]:
    """The records of a run of our own, without secrets. None of what is no run, or a conversation."""
    held = _parse_json(state)
    if not isinstance(held, dict) or held.get(CHAT):
        return {}
    lines = [_redact_line(line) for line in events[: events.rfind(b"\n") + 1].splitlines()]
    return {
        path_of(RUN, f"{name}/{RUN_FILE}"): _redact_line(state) + b"\n",
        path_of(RUN, f"{name}/{EVENTS_FILE}"): b"".join(line + b"\n" for line in lines if line),
    }


def build_rating_text(line: Mapping[str, Any]) -> tuple[str, bytes]:
    """A rating's path and body: the same on every machine that knows of it."""
    body = _dump_json({name: line.get(name) for name in _RATED})
    return path_of(RATING, sha256(body).hexdigest()[:32]), body


def build_cost_text(spent: CostEntry) -> tuple[str, bytes]:
    """The path and body of what a request cost."""
    return path_of(COST, spent.id), _dump_json(
        {name: value for name, value in entry_to_json(spent).items() if name != "workspace"}
    )


def find_record_error(path: str, data: bytes) -> str:
    """Why this cannot be a record; empty where it can."""
    kind, name = split_record_path(path)
    check = {RUN: _find_run_error, RATING: _find_rating_error, COST: _find_cost_error}.get(kind)
    if check is None:
        return "there are no such records"
    most = LARGEST if kind == RUN else LARGEST_LINE
    if len(data) > most:
        return f"it has {len(data)} bytes, and {most} are the most"
    try:
        if "\0" in data.decode():
            return "it holds a NUL"
        return check(name, data)
    except (ValueError, RecursionError):
        return "it is no JSON in UTF-8"


def _find_run_error(name: str, data: bytes) -> str:
    run, _, file = name.partition("/")
    if not is_run_file(name):
        return "no file of a run is called so"
    if file == EVENTS_FILE:
        whole = all(isinstance(json.loads(line), dict) for line in data.splitlines())
        return "" if whole and (not data or data.endswith(b"\n")) else "its lines are no events"
    held = json.loads(data)
    if not isinstance(held, dict) or held.get("run") != run or held.get("status") not in _STATUSES:
        return "it does not say what run it is, and how it went"
    bad = [key for key, kind in _RUN_TYPES.items() if held.get(key) is not None and not isinstance(held[key], kind)]
    tasks = (held.get("plan") or {}).get("tasks", []) if not bad else []
    rejected = held.get("rejected_plans") or []
    if bad or not isinstance(tasks, list) or not all(isinstance(each, dict) for each in (*tasks, *rejected)):
        return f"{', '.join(bad) or 'its plan'} cannot be so"
    return ""


def _find_rating_error(name: str, data: bytes) -> str:
    held = json.loads(data)
    if not isinstance(held, dict) or build_rating_text(held) != (path_of(RATING, name), data):
        return "it is not in a rating's form"
    rating, sure = held["rating"], held["confidence"]
    texts = all(isinstance(held[key], str) for key in ("comment", "session", "source", "ts"))
    numbers = type(rating) is int and 1 <= rating <= 10 and isinstance(sure, int | float) and 0 <= sure <= 1
    if not texts or not numbers or held["source"] not in _SOURCES or not _TIME.fullmatch(held["ts"]):
        return "it says no rating"
    return ""


def _find_cost_error(name: str, data: bytes) -> str:
    spent = entry_from_json(json.loads(data))
    if spent is None or not _ULID.fullmatch(name) or build_cost_text(spent) != (path_of(COST, name), data):
        return "it is not in the form of a ledger's line"
    cost, seconds = spent.cost or 0.0, spent.seconds
    if not _TIME.fullmatch(spent.ts) or not (isfinite(cost) and cost >= 0 and isfinite(seconds)):
        return "it says no cost"
    return ""


def _redact_line(line: bytes) -> bytes:
    """A JSON text without secrets; as it is where there are none, empty where it is no object."""
    text = line.decode("utf-8", "replace").replace("\0", "\ufffd").strip()
    held = _parse_json(text.encode())
    if not isinstance(held, dict):
        return b""
    found = clean(held)
    return text.encode() if found.value is held else _dump_json(found.value)


def _parse_json(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _dump_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
