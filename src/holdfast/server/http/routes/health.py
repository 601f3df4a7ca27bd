"""How a workspace is: what doctor and the curator find, clients, journal, index, disk."""

import os
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import Query, Response

from holdfast.care.diagnose import examine
from holdfast.care.storage_use import measure_disk, measure_free_space, measure_index, measure_journal
from holdfast.care.workspace_status import WorkspaceStatus, read_status
from holdfast.clients.manage_clients import list_client_states
from holdfast.core.search import Select
from holdfast.core.value import as_dict
from holdfast.curator.curate import (
    ALL,
    CurationReport,
    apply_findings,
    choose_findings,
    curate,
    curate_again,
    curation_json,
    dismiss_findings,
)
from holdfast.index.maintenance import verify
from holdfast.report.system_changes import SystemChange, list_changes
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.routes.route_parts import LISTED, Reads, Reviews, make_router
from holdfast.server.http.shapes import health_shapes as shapes
from holdfast.server.http.slow_answers import clear_cache, look_up_cached
from holdfast.server.http.to_shapes import build_view, sanitize_json
from holdfast.system.peek import read_json_object
from holdfast.workspace import App

ROUTER = make_router("health")
MOST_FINDINGS = 500
# A look at all of memory may take seconds and says the same until memory changes, but for what grows old with time.
LONG = 3600.0


@ROUTER.get("/health", response_model=shapes.WorkspaceHealth, operation_id="getWorkspaceHealth")
async def health(workspace: Opened, _: Reads) -> shapes.WorkspaceHealth:
    """Everything that can be wrong, and what to do about it: clients, files, journal, index, disk, conflicts."""
    return await look_up_cached(workspace, "health", _health)


@ROUTER.post("/health/verify", response_model=shapes.VerificationView, operation_id="verifyWorkspace")
async def verified(workspace: Opened, _: Reads) -> shapes.VerificationView:
    """Look at every record of the journal, every file and the index. Changes nothing; may take a while."""
    return await workspace.aside(_verify_workspace)


@ROUTER.get("/clients", response_model=list[shapes.ClientRow], operation_id="listClients")
async def clients(workspace: Opened, _: Reads) -> list[shapes.ClientRow]:
    """The clients of this user, and how each is."""
    return await look_up_cached(workspace, "clients", _clients)


@ROUTER.get("/changes", response_model=list[shapes.ChangeRow], responses=LISTED, operation_id="listChanges")
async def altered(
    workspace: Opened, _: Reads, wanted: Paged,
    since: Annotated[str, Query(max_length=40, description="A time or a day.")] = "",
) -> list[shapes.ChangeRow]:  # fmt: skip
    """What altered the memory system itself (settings, rules, clients, migrations), the newest first."""
    found = await workspace.aside(lambda app: list_changes(app, since).changes[::-1])
    return [_change(each) for each in paginate(found, wanted, lambda each: f"{each.ts} {each.kind} {each.what}")]


@ROUTER.get("/curate", response_model=shapes.CurationView, operation_id="lookAtMemory")
async def look(workspace: Opened, _: Reads) -> shapes.CurationView:
    """A look at all of memory: what could be better, each with ways to mend it. The same until memory changes."""
    found = await look_up_cached(workspace, "curate", lambda app: curation_json(curate(app), 0, MOST_FINDINGS), LONG)
    return build_view(
        shapes.CurationView, sanitize_json({name: value for name, value in found.items() if name != "more"})
    )


@ROUTER.post("/curate/apply", response_model=shapes.AppliedFindingsView, operation_id="applyFindings")
async def carry_out(given: shapes.ApplyFindingsBody, workspace: Opened, _: Reviews) -> shapes.AppliedFindingsView:
    """Carry findings out, each its default way or `ID=WAY`, in one batch that `undo` takes back."""
    wanted = [each.replace(":", "=", 1) for each in given.findings]
    return await workspace.change(partial(_apply_findings, wanted))


@ROUTER.post("/curate/dismiss", status_code=204, operation_id="dismissFindings")
async def set_aside(given: shapes.DismissFindingsBody, workspace: Opened, _: Reviews) -> Response:
    """Findings that are fine as they are: not shown again until their memories change."""
    await workspace.change(lambda app: dismiss_findings(app, curate_again(app, ALL, given.findings), given.findings))
    clear_cache(workspace)
    return Response(status_code=204)


def _health(app: App) -> shapes.WorkspaceHealth:
    # Both compare a few memories more: what is left is said by the later look.
    findings, state = examine(app), read_status(app)
    entries = app.index.select(Select())
    return build_view(
        shapes.WorkspaceHealth,
        {
            "ok": not findings and not state.problems,
            "clients": [as_dict(each) for each in state.clients],
            "findings": [
                {"check": each.check, "problem": each.problem, "remedy": each.remedy, "mendable": bool(each.fix)}
                for each in findings
            ],
            "problems": [as_dict(each) for each in state.problems],
            "journal": measure_journal(app, state),
            "index": measure_index(app, entries),
            "disk": list(measure_disk(app)),
            "free_bytes": measure_free_space(app),
            "curator": _curator(app),
            "conflicts": _conflicts(state),
            "holding": state.conflicts.holding,
            "uncompared": state.conflicts.unseen,
            "failures_today": state.failures.today,
            "distil_waiting": state.work.waiting,
        },
    )


def _curator(app: App) -> Mapping[str, Any] | None:
    kept = read_json_object(os.path.join(app.folder, "state", "curate.json"))
    rows = kept.get("findings")
    if not isinstance(kept.get("ts"), str) or not isinstance(rows, list):
        return None
    counts: dict[str, int] = {}
    for row in rows:
        kind = str(row.get("kind", "")) if isinstance(row, Mapping) else ""
        counts[kind] = counts.get(kind, 0) + 1
    score, memories, total = (kept.get(name) for name in ("score", "memories", "total"))
    return {
        "at": kept["ts"], "score": score if isinstance(score, int) else None,
        "memories": memories if isinstance(memories, int) else 0,
        "findings": total if isinstance(total, int) else len(rows), "counts": counts,
    }  # fmt: skip


def _conflicts(state: WorkspaceStatus) -> list[Mapping[str, Any]]:
    return [
        {
            "new": pair.new.memory.id, "old": pair.old.memory.id, "new_title": pair.new.memory.title,
            "old_title": pair.old.memory.title, "reason": pair.reason,
        }
        for pair in state.conflicts.conflicting
    ]  # fmt: skip


def _verify_workspace(app: App) -> shapes.VerificationView:
    found = verify(app)
    problems = [f"{each.path}{f':{each.line}' if each.line else ''}: {each.reason}" for each in found.problems]
    return build_view(shapes.VerificationView, {"ok": found.ok, "records": found.journal.records, "problems": problems})


def _clients(app: App) -> list[shapes.ClientRow]:
    return [build_view(shapes.ClientRow, each) for each in list_client_states(app)]


def _change(each: SystemChange) -> shapes.ChangeRow:
    fields = {"at": each.ts, "what": each.words, "id": each.what, "title": each.after, "author": each.who}
    return build_view(shapes.ChangeRow, {**fields, "type": each.kind})


def _apply_findings(wanted: list[str], app: App) -> shapes.AppliedFindingsView:
    found: CurationReport = curate_again(app, ALL, wanted)
    done = apply_findings(app, found, choose_findings(found, wanted))
    left = [{"finding": each.finding.id, "why": each.why} for each in done.left]
    return build_view(
        shapes.AppliedFindingsView, {"done": [each.id for each in done.done], "left": left, "ids": list(done.ids)}
    )
