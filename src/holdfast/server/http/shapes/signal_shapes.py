"""How it goes: ratings, patterns, what memory was worth, what models cost."""

from typing import Any

from pydantic import Field

from holdfast.report.costs import CostSum
from holdfast.report.stats import MemoryUseCounts, WeeklyUse
from holdfast.server.http.shapes.base_shape import ApiBody, ApiView, Json
from holdfast.server.http.shapes.derive import mirrors


class RatingView(ApiView):
    """A rating of an answer."""

    ts: str
    rating: float
    comment: str = ""
    session: str = ""
    source: str = ""


class NewRatingBody(ApiBody):
    """Rate the last answer, or a session's."""

    rating: int = Field(ge=1, le=10)
    comment: str = Field(default="", max_length=4000)
    session: str = Field(default="", max_length=200)


class ShareView(ApiView):
    """A share with its interval."""

    value: float
    low: float
    high: float


@mirrors(WeeklyUse)
class WeekUseView(ApiView):
    """What was told in a week, and how much of it was used."""


@mirrors(MemoryUseCounts, without="occasions")
class UsedMemoryView(ApiView):
    """A memory over all its sessions."""


class MemoryStatsView(ApiView):
    """What memory cost and what it brought."""

    since: str | None
    sessions: int
    tokens: int
    told: int
    used: int
    ignored: int
    contradicted: int
    hit_rate: ShareView | None
    avoided: int
    repeated: int
    weeks: list[WeekUseView]
    memories: list[UsedMemoryView]
    holdout: Json | None
    broken: int


class SynthesisView(ApiView):
    """A period put together, as `holdfast report synthesis --json` gives it."""

    period: Json
    path: str | None
    found: Json


@mirrors(CostSum)
class CostTotal(ApiView):
    """Requests added up."""


class CostView(ApiView):
    """What models took, by day and by model."""

    days: dict[str, CostTotal]
    models: dict[str, CostTotal]
    total: CostTotal
    budget: Json


class FileActivityView(ApiView):
    """A file that changed lately."""

    path: str
    changes: int
    last: str
    sessions: list[Any]
