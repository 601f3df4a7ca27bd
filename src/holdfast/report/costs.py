"""What models cost, out of the ledger."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from holdfast.core.value import Value, as_dict
from holdfast.llm.app_model import budget, ledger
from holdfast.llm.cost_ledger import Spent, by_day, form
from holdfast.records.team_records import costs_of_others
from holdfast.workspace import App

__all__ = ["Costs", "Total", "costs", "form"]


class Total(Value):
    """Requests added up. `unpriced`: requests whose price nobody knew; their money is not in `cost`."""

    requests: int = 0
    remembered: int = 0
    failed: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float = 0.0
    unpriced: int = 0


class Costs(Value):
    """What was spent in so many days: by day (every day, also those without), by model, and each request."""

    days: Mapping[str, Total]
    models: Mapping[str, Total]
    total: Total
    lines: Sequence[Spent]
    budget: Mapping[str, Any]


def costs(app: App, days: int) -> Costs:
    """What models took in the last days, today among them; with what others of the team took for this project."""
    now = app.clock.now()
    first = (now - timedelta(days=days - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = _with_others(app, _own(app, first), first.strftime("%Y-%m-%dT%H:%M:%SZ"))
    dates = [(first + timedelta(days=number)).date().isoformat() for number in range(days)]
    found = by_day(lines)
    models = sorted({line.model for line in lines})
    return Costs(
        days={date: total(found.get(date, ())) for date in dates},
        models={model: total(line for line in lines if line.model == model) for model in models},
        total=total(lines),
        lines=lines,
        budget=as_dict(budget(app)),
    )


def _own(app: App, first: datetime) -> list[Spent]:
    """What was spent from this home; in a server's copy of a project, what was spent for it."""
    found = ledger(app).since(first)
    return [line for line in found if line.workspace == app.workspace_id] if app.is_copy else found


def _with_others(app: App, own: Sequence[Spent], first: str) -> list[Spent]:
    """Our own lines and those that came from others, each once."""
    known = {line.id for line in own}
    others = costs_of_others(app) if app.workspace else []
    return sorted([*own, *(line for line in others if line.id not in known and line.ts >= first)], key=lambda s: s.ts)


def total(lines: Iterable[Spent]) -> Total:
    """Requests added up."""
    every = list(lines)
    return Total(
        requests=sum(line.outcome != "remembered" for line in every),
        remembered=sum(line.outcome == "remembered" for line in every),
        failed=sum(line.outcome == "failed" for line in every),
        input=sum(line.usage.input for line in every),
        output=sum(line.usage.output for line in every),
        cached=sum(line.usage.cached for line in every),
        cost=round(sum(line.cost or 0.0 for line in every), 6),
        unpriced=sum(line.cost is None for line in every),
    )
