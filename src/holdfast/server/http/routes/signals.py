"""How it goes: ratings, patterns over time, what memory was worth, what models cost, which files move."""

import os
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

from fastapi import Query

from holdfast.core.value import as_dict
from holdfast.records.work_records import list_ratings, rate_answer
from holdfast.report.costs import read_costs
from holdfast.report.stats import compute_stats, stats_json
from holdfast.report.synthesis import activity_json, list_activity, synthesis_json, write_synthesis
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.routes.route_parts import LISTED, Reads, Reviews, make_router
from holdfast.server.http.shapes import signal_shapes as shapes
from holdfast.server.http.slow_answers import look_up_cached
from holdfast.server.http.to_shapes import build_view, sanitize_json
from holdfast.workspace import App

ROUTER = make_router("signals")
MOST_DAYS = 3660
# What sessions came to says the same until an event comes.
LONG = 600.0
OF_PERIOD = ("period", "since", "until")
Days = Annotated[int, Query(ge=1, le=MOST_DAYS, description="How many days back, today among them.")]


class PeriodKind(StrEnum):
    """How long a period is."""

    WEEK = "week"
    MONTH = "month"
    ALL = "all"


@ROUTER.get("/stats", response_model=shapes.MemoryStatsView, operation_id="getStats")
async def value_of_memory(
    workspace: Opened, _: Reads, days: Annotated[int, Query(ge=0, le=MOST_DAYS, description="0: ever.")] = 0
) -> shapes.MemoryStatsView:
    """What memory cost and what it brought."""
    found = await look_up_cached(workspace, ("stats", days), lambda app: stats_json(compute_stats(app, days)), LONG)
    return build_view(shapes.MemoryStatsView, sanitize_json(found))


@ROUTER.get("/ratings", response_model=list[shapes.RatingView], responses=LISTED, operation_id="listRatings")
async def rated(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.RatingView]:
    """How answers were rated, the newest first."""
    found = await look_up_cached(
        workspace, "ratings", lambda app: [_rating(line) for line in reversed(list_ratings(app).ratings)]
    )
    return list(paginate(found, wanted, lambda each: f"{each.ts} {each.session}"))


@ROUTER.post("/ratings", status_code=201, response_model=shapes.RatingView, operation_id="addRating")
async def add_rating(given: shapes.NewRatingBody, workspace: Opened, _: Reviews) -> shapes.RatingView:
    """Rate the newest answer, or a session's newest."""
    line = await workspace.change(lambda app: rate_answer(app, given.rating, given.comment, given.session))
    return _rating(line)


@ROUTER.get("/synthesis", response_model=shapes.SynthesisView, operation_id="getSynthesis")
async def patterns(
    workspace: Opened, _: Reads,
    kind: Annotated[PeriodKind, Query(description="How long a period.")] = PeriodKind.WEEK,
    day: Annotated[str, Query(max_length=10, description="A day in it, like 2026-11-15; empty: today.")] = "",
) -> shapes.SynthesisView:  # fmt: skip
    """A period put together: ratings, failures that came again, learnings, files. Its page is written anew."""
    found = await look_up_cached(
        workspace, ("synthesis", kind, day), lambda app: synthesis_json(write_synthesis(app, str(kind), day))
    )
    path = found["path"]
    period = {name: found[name] for name in OF_PERIOD}
    rest = {name: value for name, value in found.items() if name not in {"path", *OF_PERIOD}}
    return build_view(shapes.SynthesisView, {"period": period, "path": path, "found": sanitize_json(rest)})


@ROUTER.get("/cost", response_model=shapes.CostView, operation_id="getCost")
async def cost(workspace: Opened, _: Reads, days: Days = 30) -> shapes.CostView:
    """What models took, by day and by model."""
    return build_view(shapes.CostView, sanitize_json(await workspace.aside(partial(_cost, days))))


@ROUTER.get("/activity", response_model=list[shapes.FileActivityView], responses=LISTED, operation_id="listActivity")
async def files(
    workspace: Opened, _: Reads, wanted: Paged, days: Days = 14,
    path: Annotated[str, Query(max_length=4096, description="Only what lies here.")] = "",
) -> list[shapes.FileActivityView]:  # fmt: skip
    """Files that agents changed lately, the newest first, and for which prompts."""
    place = os.path.join(workspace.path, path) if path else ""
    found = await look_up_cached(workspace, ("activity", days, path), lambda app: list_activity(app, days, place))
    shown = paginate(found, wanted, lambda each: each.path)
    return [build_view(shapes.FileActivityView, sanitize_json(activity_json(each))) for each in shown]


def _rating(line: Any) -> shapes.RatingView:
    texts = {name: str(line.get(name) or "") for name in ("ts", "comment", "session", "source")}
    return build_view(shapes.RatingView, {**texts, "rating": float(line["rating"])})


def _cost(days: int, app: App) -> dict[str, Any]:
    found = read_costs(app, days)
    return {
        "days": {day: as_dict(each) for day, each in found.days.items()},
        "models": {model: as_dict(each) for model, each in found.models.items()},
        "total": as_dict(found.total),
        "budget": dict(found.budget),
    }
