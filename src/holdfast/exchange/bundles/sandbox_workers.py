"""Workers of a conductor: they get a file to read, and what they report waits for review."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.errors import BadRequest, HoldfastError, NotFound
from holdfast.core.memory import Entry, MemoryType, SaidBy
from holdfast.core.value import Value
from holdfast.exchange.bundles.bundle_places import is_bundle, open_source, owner_name
from holdfast.exchange.bundles.export_import import keys_from, open_import
from holdfast.index.entries import is_candidate
from holdfast.inject.packs import build_goal_pack, filter_visible_to_agents, pack_json
from holdfast.review.remember import MemoryDraft, propose
from holdfast.system.safe_write import put_file
from holdfast.workspace import App, need_person

PACK = "holdfast-pack"
REPORT = "holdfast-report"
LARGEST_REPORT = 4 << 20
MOST_RESULTS = 500


class NoReport(BadRequest):
    """A file that reports nothing we can read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path!r} is no report: {reason}.",
            'it is a bundle (`holdfast export`), or {"format": "holdfast-report", "results": [{"type", "text"}]}.',
        )


def build_worker_pack(app: App, goal: str, path: str, *, budget: int = 0) -> dict[str, Any]:
    """A file that a worker may read: what is accepted here and matters to a goal. It can change nothing of it."""
    need_person(app, "sandbox pack")
    pack = pack_json(build_goal_pack(app, goal, budget=budget, reach=_filter_accepted))
    held = {"format": PACK, "version": 1, "from": owner_name(app), "goal": goal, **pack}
    put_file(path, json.dumps(held, ensure_ascii=False, indent=1).encode())
    os.chmod(path, 0o444)
    return held


def _filter_accepted(app: App, entries: Sequence[Entry]) -> list[Entry]:
    """What may reach a worker: nothing that still waits for review."""
    return filter_visible_to_agents(app, [entry for entry in entries if not is_candidate(entry)])


class WorkerReportResult(Value):
    """What a worker's report became: ids of candidates, and rows that are none."""

    candidates: tuple[str, ...]
    rejected: tuple[str, ...]


def accept_report(app: App, path: str, worker: str) -> WorkerReportResult:
    """Bring in what a worker found out: candidates, whoever sealed it."""
    need_person(app, f"sandbox report {path}")
    if not os.path.isfile(path):
        raise NotFound(f"There is no file {path!r}.", "check the path.")
    if is_bundle(path):
        with (
            open_source(app, path) as (data, _),
            open_import(app, data, keys_from(app, (), ""), foreign=True) as bundle,
        ):
            steps = bundle.go().plan.steps
        rejected = tuple(f"{step.id}: {step.reason}" for step in steps if step.does == "rejected" and step.title)
        return WorkerReportResult(
            candidates=tuple(step.candidate for step in steps if step.candidate), rejected=rejected
        )
    made, rejected_rows = [], []
    for count, row in enumerate(_read_results(path)):
        try:
            made.append(propose(app, _draft(row, worker), said_by=SaidBy.AGENT).memory.id)
        except HoldfastError as error:
            rejected_rows.append(f"{count + 1}: {error}")
    return WorkerReportResult(candidates=tuple(made), rejected=tuple(rejected_rows))


def _read_results(path: str) -> Iterator[Mapping[str, Any]]:
    with open(path, "rb") as file:
        raw = file.read(LARGEST_REPORT + 1)
    try:
        held = json.loads(raw) if len(raw) <= LARGEST_REPORT else None
    except (ValueError, RecursionError):
        held = None
    results = held.get("results") if isinstance(held, dict) and held.get("format") == REPORT else None
    if not isinstance(results, list):
        raise NoReport(path, "it cannot be read as one")
    if len(results) > MOST_RESULTS:
        raise NoReport(path, f"it has more than {MOST_RESULTS} results")
    for row in results:
        yield row if isinstance(row, dict) else {}


def _draft(row: Mapping[str, Any], worker: str) -> MemoryDraft:
    kind, text = str(row.get("type", "")), str(row.get("text", ""))
    if kind not in list(MemoryType) or not text.strip():
        raise BadRequest("it lacks a type or a text.", "")
    fields: dict[str, Any] = {"source": f"worker {worker}"[:200]}
    if row.get("title"):
        fields["title"] = str(row["title"])[:120]
    return MemoryDraft(type=kind, text=text, fields=fields)
