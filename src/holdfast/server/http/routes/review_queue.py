"""The queue: what waits, what it clashes with, and what a person does about it."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import Query

from holdfast.conflicts.rejected_twin import find_rejected_twin
from holdfast.core.errors import BadRequest, Conflict
from holdfast.core.memory import Entry, MemoryType, SaidBy, Status
from holdfast.core.relation import Resolution
from holdfast.core.search import Select
from holdfast.index.entries import find_entry
from holdfast.recall.find import find_superseded
from holdfast.records.evidence_context import find_evidence_context
from holdfast.review.accept import BlockedCandidate, ResolveRequest, accept, merge, reject, resolve
from holdfast.review.accept import ReviewResult as Done
from holdfast.review.conflict_pairs import ConflictPair, find_few_conflict_pairs
from holdfast.review.edit_text import open_text
from holdfast.review.expiry import format_expiry
from holdfast.review.queue import CandidateFilter, find_candidate, is_meant
from holdfast.review.queue_cache import Found
from holdfast.review.queue_groups import QueueGroup, SettledCandidate, group_queue
from holdfast.review.relations import TOLD, is_blocking
from holdfast.server.http.etags import Matching
from holdfast.server.http.memory_lists import newer_of, row_key
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.queue_lists import find_group, list_expired, list_groups
from holdfast.server.http.routes.memories import edit_memory
from holdfast.server.http.routes.route_parts import LISTED, CandidateId, Reads, Reviews, make_router
from holdfast.server.http.shapes import review_shapes as shapes
from holdfast.server.http.shapes.health_shapes import ConflictRow
from holdfast.server.http.shapes.memory_shapes import MemoryView
from holdfast.server.http.to_shapes import (
    build_memory_view,
    build_quote_view,
    build_relation_views,
    build_view,
    sanitize_json,
)
from holdfast.workspace import App

ROUTER = make_router("review")
# How long a list may look for conflicts before it answers; the rest is looked at beside.
PATIENCE = 0.5
RUNS_HERE = " runs here"

Types = Annotated[list[MemoryType], Query(alias="type", max_length=6, description="Only of these types.")]
Session = Annotated[str, Query(max_length=200, description="Only from this session: the beginning of its id.")]
Confidence = Annotated[float, Query(alias="minConfidence", ge=0, le=1, description="Only those at least so sure.")]
Speakers = Annotated[list[SaidBy], Query(alias="saidBy", max_length=3, description="Only what these said.")]
Words = Annotated[str, Query(max_length=1000, description="Only with all of these words.")]
Expired = Annotated[bool, Query(alias="expired", description="Only those that nobody reviewed in time.")]
RejectedToo = Annotated[bool, Query(alias="rejected", description="Also those that were turned down.")]


class IsBlocked(Conflict):
    """A candidate that contradicts what holds."""

    def __init__(self, blocked: BlockedCandidate) -> None:
        name, others = blocked.entry.memory.id, ", ".join(each.relation.old for each in blocked.conflicts)
        super().__init__(
            f"{name!r} contradicts {others}: it was not accepted.",
            "accept it with an `answer`: supersede, keep-old, narrow with `paths`, or keep-both with `because`.",
        )
        self.http_more = {"conflicts": build_relation_views(blocked.conflicts)}


class IdsAndFilter(BadRequest):
    """Both names and a choice by kind; or neither."""

    def __init__(self) -> None:
        super().__init__(
            "Candidates are named, or chosen, not both.", "send `ids`, or `all`, or something to choose by."
        )


@ROUTER.get("/candidates", response_model=list[shapes.CandidateView], responses=LISTED, operation_id="listCandidates")
async def candidates(  # noqa: PLR0913 -- as many as the query has parameters
    workspace: Opened, page: Paged, _: Reads, type_: Types = [], session: Session = "",  # noqa: B006 -- read only
    min_confidence: Confidence = 0.0, said_by: Speakers = [], words: Words = "", rejected: RejectedToo = False,  # noqa: B006 -- read only; a query has no keywords
    expired: Expired = False,
) -> Sequence[shapes.CandidateView]:  # fmt: skip
    """What waits for review, best first, each with what it clashes with; after it what the same answer settles.

    Conflicts are looked for a moment; `looked` is false where that was not enough, and asking again has them.
    """
    chosen = CandidateFilter(
        types=tuple(type_), session=session, min_confidence=min_confidence, said_by=tuple(said_by), words=words
    )

    def look(app: App) -> list[shapes.CandidateView]:
        meant = filter_candidates(workspace, chosen, rejected_too=rejected)
        if expired:
            meant = [each for each in list_expired(workspace) if is_meant(each, chosen)]
        rows = paginate(meant, page, row_key)
        known = workspace.conflicts(rows, PATIENCE)
        return [build_candidate_view(workspace, app, entry, known[entry.memory.id]) for entry in rows]

    return await workspace.do(look)


@ROUTER.get("/candidates/{cid}", response_model=shapes.CandidateDetail, operation_id="getCandidate")
async def candidate(workspace: Opened, cid: CandidateId, _: Reads) -> shapes.CandidateDetail:
    """A candidate with its evidence in the conversation, beside the memories that it clashes with."""
    return await workspace.do(partial(_detail, workspace, cid))


@ROUTER.post("/candidates/{cid}/accept", response_model=shapes.ReviewResultView, operation_id="acceptCandidate")
async def accept_one(
    workspace: Opened, cid: CandidateId, body: shapes.AcceptBody, _: Reviews
) -> shapes.ReviewResultView:
    """Make a candidate a memory. Without an answer, one that contradicts what holds gives 409 with `conflicts`."""
    answer = _answer(body.answer) if body.answer else None

    def verb(app: App) -> shapes.ReviewResultView:
        done = accept(
            app, [cid], body.scope, again=body.again, answer=answer, against=body.against,
            known=workspace.known_conflicts,
        )  # fmt: skip
        if done.blocked:
            raise IsBlocked(done.blocked[0])
        return _build_review_result(app, done)

    return await workspace.change(verb)


@ROUTER.post("/candidates/{cid}/reject", response_model=shapes.ReviewResultView, operation_id="rejectCandidate")
async def reject_one(
    workspace: Opened, cid: CandidateId, body: shapes.RejectBody, _: Reviews
) -> shapes.ReviewResultView:
    """Turn a candidate down; the same is not proposed again."""
    return await workspace.change(lambda app: _reject_candidates(app, [cid], body.because))


@ROUTER.post("/candidates/{cid}/merge", response_model=shapes.ReviewResultView, operation_id="mergeCandidate")
async def merge_one(workspace: Opened, cid: CandidateId, body: shapes.MergeBody, _: Reviews) -> shapes.ReviewResultView:
    """Fold other candidates into this one; with `into`, this one and the others into a memory or a candidate."""

    def verb(app: App) -> shapes.ReviewResultView:
        done = merge(app, [cid, *body.ids], body.into)
        found = build_memory_view(app, find_entry(app, done.entry.memory.id), find_superseded(app))
        return shapes.ReviewResultView(merged=list(done.merged), memory=found, restart=_restart(app))

    return await workspace.change(verb)


@ROUTER.post("/candidates/{cid}/edit", response_model=MemoryView, operation_id="editCandidate")
async def edit_one(
    workspace: Opened, cid: CandidateId, body: shapes.EditCandidateBody, matching: Matching, _: Reviews
) -> MemoryView:
    """Give a candidate other words or fields, if it is still the one that was read."""

    def verb(app: App) -> MemoryView:
        find_candidate(app, cid)
        return edit_memory(cid, body, matching, app)

    return await workspace.change(verb)


@ROUTER.post("/candidates/{cid}/resolve", response_model=shapes.ReviewResultView, operation_id="resolveConflict")
async def resolve_one(
    workspace: Opened, cid: CandidateId, body: shapes.ResolveBody, _: Reviews
) -> shapes.ReviewResultView:
    """Settle a conflict with one memory. A candidate is accepted then, if nothing else blocks it."""

    def verb(app: App) -> shapes.ReviewResultView:
        done = resolve(app, cid, body.against, _answer(body.answer))
        new = build_memory_view(app, done.new, find_superseded(app))
        return shapes.ReviewResultView(memory=new, restart=_restart(app))

    return await workspace.change(verb)


@ROUTER.post("/candidates", response_model=shapes.ReviewResultView, operation_id="reviewMany")
async def bulk(workspace: Opened, body: shapes.BulkReviewBody, _: Reviews) -> shapes.ReviewResultView:
    """Accept or reject many in one batch, which one `undo` takes back. What is blocked is in the answer."""

    def verb(app: App) -> shapes.ReviewResultView:
        ids = _ids(workspace, body)
        if body.verb == "reject":
            return _reject_candidates(app, ids, body.because)
        return _build_review_result(app, accept(app, ids, body.scope))

    return await workspace.change(verb)


@ROUTER.get("/conflicts", response_model=list[ConflictRow], responses=LISTED, operation_id="listConflicts")
async def conflicts(workspace: Opened, page: Paged, _: Reads) -> Sequence[ConflictRow]:
    """Memories that hold and contradict each other, as far as they were looked at: each call looks at a few more."""
    found = await workspace.aside(
        lambda app: find_few_conflict_pairs(app, app.index.select(Select(statuses=(Status.ACCEPTED,))))
    )
    rows = paginate(found.conflicting, page, lambda pair: f"{pair.new.memory.id} {pair.old.memory.id}")
    return [_conflict(pair) for pair in rows]


def filter_candidates(workspace: OpenWorkspace, chosen: CandidateFilter, *, rejected_too: bool = False) -> list[Entry]:
    """The candidates that a filter means, in the order of their questions. For `do`."""
    ordered = [entry for group in list_groups(workspace) for entry in group.entries]
    if rejected_too:
        ordered += [each for each in workspace.candidates if each.memory.status is Status.REJECTED]
    return [each for each in ordered if is_meant(each, chosen)]


def build_candidate_view(workspace: OpenWorkspace, app: App, entry: Entry, found: Found | None) -> shapes.CandidateView:
    """A candidate in the queue."""
    told = [each for each in found or () if each.relation.kind in TOLD]
    clients = workspace.held("clients", _clients, events=True)
    return shapes.CandidateView(
        **dict(build_memory_view(app, entry, newer_of(workspace))),
        conflicts=build_relation_views(told),
        blocked=any(map(is_blocking, told)),
        looked=found is not None,
        session=sanitize_json(entry.memory.source),
        client=sanitize_json(clients.get(entry.memory.source, "")),
        **_describe_group(find_group(workspace, entry), entry),
        expires=format_expiry(app, entry) or None,
    )


def _describe_group(group: QueueGroup, entry: Entry) -> dict[str, Any]:
    """Where a candidate stands among those that one answer settles."""
    own = next((each for each in group.settles if each.entry.memory.id == entry.memory.id), None)
    return {
        "group": group.lead.memory.id,
        "topic": group.topic,
        "settles": [] if own else [_build_settled_view(each) for each in group.settles],
        "settled": own.how.value if own else None,
    }


def _build_settled_view(each: SettledCandidate) -> shapes.SettledView:
    memory = each.entry.memory
    return shapes.SettledView(
        id=memory.id, title=sanitize_json(memory.title), how=each.how.value, reason=sanitize_json(each.reason)
    )


def _detail(workspace: OpenWorkspace, cid: str, app: App) -> shapes.CandidateDetail:
    entry = find_candidate(app, cid)
    known = workspace.conflicts([entry], float("inf"))[entry.memory.id] or ()
    shown = build_candidate_view(workspace, app, entry, known)
    earlier = find_rejected_twin(app, entry.memory) if entry.memory.status is Status.CANDIDATE else None
    newer = newer_of(workspace)
    others = {each.old.memory.id: each.old for each in known if each.relation.kind in TOLD}
    return shapes.CandidateDetail(
        candidate=shown.model_copy(update={"turned_down_before": earlier.memory.id if earlier else None}),
        evidence=[build_quote_view(each) for each in find_evidence_context(app, entry)],
        others=[build_memory_view(app, other, newer) for other in others.values()],
        markdown=sanitize_json(open_text(app, entry)),
    )


def _answer(given: shapes.ConflictAnswerBody) -> ResolveRequest:
    return ResolveRequest(choice=Resolution(given.choice), because=given.because, paths=tuple(given.paths))


def _ids(workspace: OpenWorkspace, body: shapes.BulkReviewBody) -> list[str]:
    chosen = CandidateFilter(
        types=tuple(map(MemoryType, body.types)), session=body.session, min_confidence=body.min_confidence,
        said_by=tuple(map(SaidBy, body.said_by)), words=body.words,
    )  # fmt: skip
    some = body.all or chosen != CandidateFilter()
    if bool(body.ids) is bool(some):
        raise IdsAndFilter
    if body.ids:
        return body.ids
    meant = filter_candidates(workspace, chosen)
    if body.verb == "accept":
        # What is accepted takes with it what it repeats or takes back: those are no acceptance of their own.
        meant = [group.lead for group in group_queue(meant)]
    return [entry.memory.id for entry in meant]


def _reject_candidates(app: App, ids: Sequence[str], because: str) -> shapes.ReviewResultView:
    done = reject(app, ids, because) if ids else []
    return shapes.ReviewResultView(rejected=[entry.memory.id for entry in done])


def _build_review_result(app: App, done: Done) -> shapes.ReviewResultView:
    newer = find_superseded(app)
    accepted = [
        shapes.AcceptedRow(candidate=each.candidate, memory=build_memory_view(app, each.entry, newer))
        for each in done.accepted
    ]
    blocked = [
        shapes.BlockedRow(id=each.entry.memory.id, conflicts=build_relation_views(each.conflicts))
        for each in done.blocked
    ]
    turned_down = [entry.memory.id for entry in done.turned_down]
    settled = [_build_settled_view(each) for each in done.settled]
    return shapes.ReviewResultView(
        accepted=accepted, blocked=blocked, rejected=turned_down, settled=settled, restart=_restart(app)
    )


def _restart(app: App) -> list[str]:
    """What was said of clients that run with old memory."""
    return [sanitize_json(notice) for notice in app.notices if RUNS_HERE in notice]


def _clients(app: App) -> dict[str, str]:
    """Each session's client."""
    sessions = getattr(app.index, "sessions", None)
    return {row.session: row.client for row in sessions()} if sessions else {}


def _conflict(pair: ConflictPair) -> ConflictRow:
    new, old = pair.new.memory, pair.old.memory
    return build_view(
        ConflictRow,
        {"new": new.id, "old": old.id, "new_title": new.title, "old_title": old.title, "reason": pair.reason},
    )
