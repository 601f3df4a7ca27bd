"""Memories: lists, one in full, and what a person does with them."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Query, Response

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, MemoryType, Scope, Status
from holdfast.forget.forget_memory import forget, plan_ids
from holdfast.index.entries import NoSuchId, find_entry, is_candidate
from holdfast.recall.citations.citation_status import locate_cited_code
from holdfast.recall.find import find_superseded
from holdfast.recall.graph.related_memories import RelatedMemory, find_related
from holdfast.recall.memory_history import MemoryAtTime, history_json, read_at_time, read_history
from holdfast.records.evidence_context import find_evidence_context
from holdfast.report.stats import MemoryUseCounts, compute_stats
from holdfast.review.batches import read_last_batch, undo
from holdfast.review.edit_text import open_text, save_text
from holdfast.review.relations import NOW_IT, TOLD, notice_conflicts, relations_of
from holdfast.review.remember import HELD_BACK, LEFT_OUT, MemoryDraft, change_entry, propose, remember
from holdfast.server.http.etags import Matching, check_match, compute_file_tag
from holdfast.server.http.memory_lists import (
    MemoryListQuery,
    Sort,
    StatusAsked,
    list_memories,
    newer_of,
    row_key,
    uses_of,
)
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.routes.route_parts import LISTED, AsOf, AtPath, MemoryId, Reads, Reviews, make_router
from holdfast.server.http.shapes import memory_shapes as shapes
from holdfast.server.http.shapes.review_shapes import EditCandidateBody
from holdfast.server.http.to_shapes import (
    build_decision_view,
    build_failure_view,
    build_learning_view,
    build_memory_row,
    build_memory_view,
    build_quote_view,
    build_relation_views,
    build_view,
    sanitize_json,
)
from holdfast.workspace import App

ROUTER = make_router("memory")
RELATED = 12
NUMBERS: Mapping[str, Callable[[str], float]] = {"confidence": float, "attempts": int}
EDITABLE = frozenset({
    "title", "body", "category", "tags", "paths", "subject", "question", "choice", "rejected", "error_type",
    "error_message", "root_cause", "context", "attempts", "fact", "confidence", "supersedes", "valid_from",
    "valid_until", "because",
    "status",
})  # fmt: skip
LISTS = frozenset({"tags", "paths", "rejected", "supersedes"})

Type = Annotated[
    list[MemoryType], Query(alias="type", max_length=6, description="Only of these types; again for more.")
]
Tag = Annotated[list[str], Query(max_length=20, description="Only with every one of these tags.")]
Asked = Annotated[StatusAsked, Query(description="`valid`: what holds now, or at `asOf`.")]


class NotEditable(BadRequest):
    """A field that is not a person's to set here."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The field {name!r} cannot be set so.", f"these can: {', '.join(sorted(EDITABLE))}.")


class BadValue(BadRequest):
    """A value that its field does not take."""

    def __init__(self, name: str, takes: str) -> None:
        super().__init__(f"The field {name!r} takes {takes}.", "`GET memory/{mid}` shows how it is now.")


class AmbiguousEdit(BadRequest):
    """An edit that says neither a text nor fields, or both."""

    def __init__(self) -> None:
        super().__init__("An edit has either `markdown` or `fields`.", "send one of the two.")


# Lists


@ROUTER.get("/memory/entries", response_model=list[shapes.MemoryRow], responses=LISTED, operation_id="listMemory")
async def entries(  # noqa: PLR0913 -- as many as the query has parameters
    workspace: Opened, page: Paged, _: Reads, type_: Type = [], status: Asked = StatusAsked.VALID,  # noqa: B006 -- read only
    scope: Literal["", "workspace", "user", "team"] = "", tag: Tag = [], path: AtPath = "", as_of: AsOf = "",  # noqa: B006 -- read only
    q: Annotated[str, Query(max_length=300, description="Only with these letters in the title.")] = "",
    sort: Sort = Sort.UPDATED,
    at: Annotated[int, Query(ge=0, le=10**9, description="Begin with this row, counted from 0: for leaps.")] = 0,
) -> Sequence[shapes.MemoryRow]:  # fmt: skip
    """All memories, one line each."""
    wanted = MemoryListQuery(
        types=tuple(type_), status=status, scope=scope, tags=tuple(tag), path=path, as_of=as_of, words=q, sort=sort
    )

    def look(_app: App) -> list[shapes.MemoryRow]:
        newer, uses = newer_of(workspace), uses_of(workspace)
        return [
            build_memory_row(entry, newer, uses)
            for entry in paginate(list_memories(workspace, wanted), page, row_key, at)
        ]

    return await workspace.do(look)


def _make_lister(
    workspace: OpenWorkspace, page: Paged, wanted: MemoryListQuery, shape: Callable[[App, Entry, Any], Any]
) -> Callable[[App], list[Any]]:
    def look(app: App) -> list[Any]:
        newer = newer_of(workspace)
        return [shape(app, entry, newer) for entry in paginate(list_memories(workspace, wanted), page, row_key)]

    return look


def _list_route(kind: MemoryType, rows: Any, shape: Callable[[App, Entry, Any], Any]) -> None:
    """The list of a type, and one of it by its id."""
    folder, name = f"{kind}s", kind.capitalize()

    async def many(
        workspace: Opened, page: Paged, _: Reads, status: Asked = StatusAsked.VALID, path: AtPath = "", as_of: AsOf = ""
    ) -> Any:
        wanted = MemoryListQuery(types=(kind,), status=status, path=path, as_of=as_of)
        return await workspace.do(_make_lister(workspace, page, wanted, shape))

    async def one(workspace: Opened, mid: MemoryId, _: Reads) -> shapes.MemoryView:
        return await workspace.do(partial(_one, workspace, mid, kind))

    many.__doc__, one.__doc__ = f"The {folder}, newest first.", f"One {kind} by its id."
    ROUTER.get(f"/memory/{folder}", response_model=rows, responses=LISTED, operation_id=f"list{name}s")(many)
    ROUTER.get(f"/memory/{folder}/{{mid}}", response_model=shapes.MemoryView, operation_id=f"get{name}")(one)


_list_route(MemoryType.DECISION, list[shapes.DecisionView], lambda _, entry, newer: build_decision_view(entry, newer))
_list_route(MemoryType.FAILURE, list[shapes.FailureView], lambda _, entry, newer: build_failure_view(entry, newer))
_list_route(MemoryType.LEARNING, list[shapes.LearningView], lambda _, entry, newer: build_learning_view(entry, newer))
_list_route(MemoryType.ASSUMPTION, list[shapes.MemoryView], build_memory_view)
_list_route(MemoryType.INVARIANT, list[shapes.MemoryView], build_memory_view)
_list_route(MemoryType.PATTERN, list[shapes.MemoryView], build_memory_view)


@ROUTER.get("/memory/team", response_model=shapes.TeamMemoryView, operation_id="getTeam")
async def team(workspace: Opened, _: Reads) -> shapes.TeamMemoryView:
    """What the team shares, newest first; empty outside a team."""
    return await workspace.do(partial(_team, workspace))


# One


@ROUTER.get("/memory/{mid}", response_model=shapes.MemoryDetail, operation_id="getMemory")
async def detail(
    workspace: Opened, mid: MemoryId, response: Response, _: Reads, as_of: AsOf = ""
) -> shapes.MemoryDetail:
    """Everything about a memory: its text, evidence in its conversation, citations, history, use, relations.

    With `asOf`, its text of then and whether it held. The `ETag` begins with the file's sha256: send it, or the sum
    alone, as `If-Match` of a change.
    """
    found = await workspace.do(partial(_detail, workspace, mid, as_of))
    response.headers["ETag"] = compute_file_tag(found.memory.sha256, found)
    return found


@ROUTER.post(
    "/memory", response_model=shapes.MemoryView, status_code=201, operation_id="remember",
    responses={200: {"model": shapes.MemoryView, "description": "The same was proposed before: this is that one."}},
)  # fmt: skip
async def add(workspace: Opened, body: shapes.NewMemoryBody, response: Response, _: Reviews) -> shapes.MemoryView:
    """Keep a memory; or propose it, so that it waits for review."""
    known, entry, found = await workspace.change(partial(_add_memory, workspace, body))
    response.headers["Location"] = f"/api/workspace/{workspace.id}/memory/{entry.memory.id}"
    response.status_code = 200 if known else 201
    return found


@ROUTER.put("/memory/{mid}", response_model=shapes.MemoryView, operation_id="editMemory")
async def edit(
    workspace: Opened, mid: MemoryId, body: shapes.EditMemoryBody, response: Response, matching: Matching, _: Reviews
) -> shapes.MemoryView:
    """Change a memory's text or some of its fields, if it is still the one that was read."""
    found = await workspace.change(partial(edit_memory, mid, body, matching))
    response.headers["ETag"] = compute_file_tag(found.sha256)
    return found


@ROUTER.delete("/memory/{mid}", status_code=204, operation_id="forgetMemory")
async def remove(workspace: Opened, mid: MemoryId, matching: Matching, _: Reviews) -> None:
    """Forget a memory or a candidate. The journal keeps a tombstone; `holdfast forget --purge` takes that too."""
    await workspace.change(partial(_forget_memory, mid, matching))


@ROUTER.get("/undo", response_model=shapes.LastBatchView, operation_id="getLastBatch")
async def undoable(workspace: Opened, _: Reads) -> shapes.LastBatchView:
    """What `undo` would take back."""
    done = await workspace.do(read_last_batch)
    return build_view(shapes.LastBatchView, done or {"id": "", "verb": "", "at": "", "ids": []})


@ROUTER.post("/undo", response_model=shapes.UndoneBatchView, operation_id="undo")
async def take_back(workspace: Opened, _: Reviews, body: shapes.UndoBody | None = None) -> shapes.UndoneBatchView:
    """Take an accept, reject, merge, resolve or edit back, the last one unless it is named: files get their bytes back.

    404 where the one that is named is undone already; 409 where a file of it changed since.
    """
    batch = body.batch if body else ""
    done = await workspace.change(lambda app: undo(app, batch))
    return build_view(shapes.UndoneBatchView, done)


def _team(workspace: OpenWorkspace, app: App) -> shapes.TeamMemoryView:
    newer, found = newer_of(workspace), list_memories(workspace, MemoryListQuery(scope=str(Scope.TEAM)))
    by_kind = {kind: [entry for entry in found if entry.memory.type is kind] for kind in MemoryType}
    return shapes.TeamMemoryView(
        decisions=[build_decision_view(entry, newer) for entry in by_kind[MemoryType.DECISION]],
        failures=[build_failure_view(entry, newer) for entry in by_kind[MemoryType.FAILURE]],
        patterns=[build_memory_view(app, entry, newer) for entry in by_kind[MemoryType.PATTERN]],
    )


def _one(workspace: OpenWorkspace, mid: str, kind: MemoryType, app: App) -> shapes.MemoryView:
    entry = find_entry(app, mid)
    if entry.memory.type is not kind:
        raise NoSuchId(mid)
    return build_memory_view(app, entry, newer_of(workspace), locate_cited_code(app, [entry])[0].drifts)


def _detail(workspace: OpenWorkspace, mid: str, as_of: str, app: App) -> shapes.MemoryDetail:
    entry = find_entry(app, mid)
    newer = newer_of(workspace)
    past = read_at_time(app, entry, as_of) if as_of else None
    shown = past.entry if past else entry
    drifts = () if past else locate_cited_code(app, [entry])[0].drifts
    told = workspace.held(("relations", entry.memory.id, entry.sha256), lambda app: relations_of(app, entry))
    return shapes.MemoryDetail(
        memory=build_memory_view(app, shown, newer, drifts),
        markdown=sanitize_json(open_text(app, shown)),
        evidence=[build_quote_view(each) for each in find_evidence_context(app, entry)],
        life=_life(app, entry),
        use=_use(workspace, entry.memory.id),
        relations=build_relation_views(each for each in told if each.relation.kind in TOLD),
        related=_list_related(workspace, app, entry),
        as_of=_as_of(past),
    )


def _life(app: App, entry: Entry) -> shapes.MemoryLifeView | None:
    belief = next((each for each in read_history(app, entry.memory.id) if each.entry == entry), None)
    if belief is None:
        return None
    form = history_json(app, belief)
    changes = [
        {
            "what": each["what"],
            "when": each["committed"] or each["date"] or _find_written_time(entry, each["what"]),
            "author": each["author"],
            "commit": each["commit"],
            "subject": each["subject"],
            "fields": {
                field["field"]: (sanitize_json(field["before"]), sanitize_json(field["after"]))
                for field in each["fields"]
            },
        }
        for each in form["versions"]
    ]
    held = form["believed"]
    return build_view(
        shapes.MemoryLifeView,
        {
            "valid_from": held["from"], "until": held["until"], "holds": held["now"], "why": held["why"],
            "superseded_by": held["superseded_by"] or None, "changes": changes, "note": form["note"],
        },
    )  # fmt: skip


def _find_written_time(entry: Entry, what: str) -> str:
    """When a text that no commit has yet was written; of one that was removed, nobody knows."""
    return "" if what == "removed" else entry.memory.updated or entry.memory.valid_from


def _use(workspace: OpenWorkspace, memory_id: str) -> shapes.MemoryUseView:
    def by_id(app: App) -> dict[str, MemoryUseCounts]:
        return {each.id: each for each in compute_stats(app).memories}

    found = workspace.held("use", by_id, events=True).get(memory_id)
    if found is None:
        return shapes.MemoryUseView()
    return build_view(shapes.MemoryUseView, found)


def _list_related(workspace: OpenWorkspace, app: App, entry: Entry) -> list[shapes.MemoryRow]:
    if is_candidate(entry):
        return []
    newer, uses = newer_of(workspace), uses_of(workspace)
    found = find_related(app, entry.memory.id, limit=RELATED).relatives
    return [build_memory_row(each.of, newer, uses) for each in found if isinstance(each, RelatedMemory)]


def _as_of(past: MemoryAtTime | None) -> shapes.AsOfView | None:
    if past is None:
        return None
    return build_view(shapes.AsOfView, past)


def _add_memory(
    workspace: OpenWorkspace, body: shapes.NewMemoryBody, app: App
) -> tuple[bool, Entry, shapes.MemoryView]:
    fields = {
        name: tuple(value) if isinstance(value, list) else value
        for name in ("title", "category", "tags", "paths", "subject", "question", "choice", "error_type",
                     "root_cause", "fact", "supersedes")
        if (value := getattr(body, name))
    }  # fmt: skip
    if body.rejected:
        fields["rejected"] = tuple(f"{each.option}: {each.reason}" for each in body.rejected)
    draft = MemoryDraft(
        type=body.type, text=body.text, because=body.because, scope=body.scope, cites=tuple(body.cites), fields=fields
    )
    before = {entry.memory.id for entry in workspace.candidates} if body.candidate else set()
    entry = propose(app, draft) if body.candidate else remember(app, draft)
    return entry.memory.id in before, entry, _build_saved_view(app, entry)


def edit_memory(
    mid: str, body: shapes.EditMemoryBody | EditCandidateBody, matching: str, app: App
) -> shapes.MemoryView:
    """A memory or candidate with the text or the fields that a body gives it."""
    entry = find_entry(app, mid)
    check_match(entry.memory.id, entry.sha256, matching, body.sha256 or "")
    match body.markdown, body.fields:
        case str() as markdown, None:
            changed = save_text(app, entry, markdown)
        case None, dict() as fields:
            changed = change_entry(app, entry, _fields(fields))
        case _:
            raise AmbiguousEdit
    notice_conflicts(app, changed)
    return _build_saved_view(app, find_entry(app, changed.memory.id))


def _build_saved_view(app: App, entry: Entry) -> shapes.MemoryView:
    """What was kept, what was not kept of it, and what it is in conflict with."""
    said = [sanitize_json(notice) for notice in app.notices if notice.startswith((LEFT_OUT, HELD_BACK, NOW_IT))]
    return build_memory_view(app, entry, find_superseded(app)).model_copy(update={"notices": said})


def _fields(given: Mapping[str, str | list[str]]) -> dict[str, Any]:
    return {name: _value(name, value) for key, value in given.items() if (name := _snake(key))}


def _value(name: str, value: str | list[str]) -> Any:
    if name not in EDITABLE:
        raise NotEditable(name)
    if isinstance(value, list) is not (name in LISTS):
        raise BadValue(name, "a list of texts" if name in LISTS else "one text")
    if name == "status" and value not in {Status.ACCEPTED, Status.DEPRECATED, Status.CANDIDATE, Status.REJECTED}:
        raise BadValue(name, "accepted or deprecated")
    if name == "status":
        return Status(str(value))
    if name not in NUMBERS or isinstance(value, list):
        return value
    try:
        return NUMBERS[name](value) if value else None
    except ValueError:
        raise BadValue(name, "a number") from None


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _forget_memory(mid: str, matching: str, app: App) -> None:
    entry = find_entry(app, mid)
    if matching:
        check_match(entry.memory.id, entry.sha256, matching)
    forget(app, plan_ids(app, [entry.memory.id]), "forgotten over HTTP")
