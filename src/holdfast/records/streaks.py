"""How it goes lately: streaks of ratings and of turns whose checks passed, and the ratings' means."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from holdfast.records.tool_steps import ToolStep

GOOD = 6
TTL_SECONDS = 3600
KEPT = 1000


class Tallies:
    """Counted from the events taken so far."""

    def __init__(self) -> None:
        self.good = self.bad = self.best = self.passing = 0
        self.updated = ""
        self.ratings: list[tuple[str, int]] = []

    def rating(self, value: int, at: str) -> None:
        """Count a rating."""
        self.good, self.bad = (self.good + 1, 0) if value >= GOOD else (0, self.bad + 1)
        self.best = max(self.best, self.good)
        self.ratings = [*self.ratings, (at, value)][-KEPT:]
        self.updated = at

    def turn(self, steps: Iterable[ToolStep]) -> None:
        """Count a turn that ran checks."""
        checks = [step for step in steps if step.check]
        if checks:
            self.passing = 0 if checks[-1].failed else self.passing + 1
            self.updated = checks[-1].at

    def streaks(self) -> dict[str, Any]:
        """What state/streaks.json says."""
        return {
            "good": self.good,
            "bad": self.bad,
            "best": self.best,
            "passing": self.passing,
            "updatedAt": self.updated,
        }

    def trending(self, now: datetime) -> dict[str, Any]:
        """What state/trending-cache.json says."""
        return {
            "generatedAt": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "ttlSeconds": TTL_SECONDS,
            "days7": _mean(self._since(now, 7)),
            "days30": _mean(self._since(now, 30)),
            "all": _mean([value for _, value in self.ratings]),
        }

    def to_state(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {**self.streaks(), "ratings": [list(each) for each in self.ratings]}

    @classmethod
    def from_state(cls, data: Mapping[str, Any]) -> "Tallies":
        """What `to_state` gave."""
        made = cls()
        made.good, made.bad, made.best, made.passing = data["good"], data["bad"], data["best"], data["passing"]
        made.updated = data["updatedAt"]
        made.ratings = [(at, value) for at, value in data["ratings"]]
        return made

    def _since(self, now: datetime, days: int) -> list[int]:
        first = (now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        return [value for at, value in self.ratings if at >= first]


def _mean(values: list[int]) -> dict[str, Any]:
    return {"count": len(values), "mean": round(sum(values) / len(values), 2) if values else None}
