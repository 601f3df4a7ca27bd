"""What models cost, out of the ledger."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from holdfast.core.value import Value, as_dict
from holdfast.llm.app_model import open_ledger, read_budget
from holdfast.llm.cost_ledger import CostEntry, entry_to_json, group_by_day
from holdfast.records.team_records import read_others_costs
from holdfast.workspace import App

__all__ = ["CostReport", "CostSum", "entry_to_json", "read_costs"]


class CostSum(Value):
    """Requests added up. `unpriced`: requests whose price nobody knew; their money is not in `cost`."""

    requests: int = 0
    remembered: int = 0
    failed: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float = 0.0
    unpriced: int = 0


class CostReport(Value):
    """What was spent in so many days: by day (every day, also those without), by model, and each request."""

    days: Mapping[str, CostSum]
    models: Mapping[str, CostSum]
    total: CostSum
    lines: Sequence[CostEntry]
    budget: Mapping[str, Any]


def read_costs(app: App, days: int) -> CostReport:
    """What models took in the last days, today among them; with what others of the team took for this project."""
    now = app.clock.now()
    first = (now - timedelta(days=days - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = _add_others(app, _read_own_costs(app, first), first.strftime("%Y-%m-%dT%H:%M:%SZ"))
    dates = [(first + timedelta(days=number)).date().isoformat() for number in range(days)]
    found = group_by_day(lines)
    models = sorted({line.model for line in lines})
    return CostReport(
        days={date: sum_costs(found.get(date, ())) for date in dates},
        models={model: sum_costs(line for line in lines if line.model == model) for model in models},
        total=sum_costs(lines),
        lines=lines,
        budget=as_dict(read_budget(app)),
    )


def _read_own_costs(app: App, first: datetime) -> list[CostEntry]:
    """What was spent from this home; in a server's copy of a project, what was spent for it."""
    found = open_ledger(app).since(first)
    return [line for line in found if line.workspace == app.workspace_id] if app.is_copy else found


def _add_others(app: App, own: Sequence[CostEntry], first: str) -> list[CostEntry]:
    """Our own lines and those that came from others, each once."""
    known = {line.id for line in own}
    others = read_others_costs(app) if app.workspace else []
    return sorted([*own, *(line for line in others if line.id not in known and line.ts >= first)], key=lambda s: s.ts)


def sum_costs(lines: Iterable[CostEntry]) -> CostSum:
    """Requests added up."""
    every = list(lines)
    return CostSum(
        requests=sum(line.outcome != "remembered" for line in every),
        remembered=sum(line.outcome == "remembered" for line in every),
        failed=sum(line.outcome == "failed" for line in every),
        input=sum(line.usage.input for line in every),
        output=sum(line.usage.output for line in every),
        cached=sum(line.usage.cached for line in every),
        cost=round(sum(line.cost or 0.0 for line in every), 6),
        unpriced=sum(line.cost is None for line in every),
    )
