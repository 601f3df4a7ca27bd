"""Lanes of circumstance: who said it, how much of it asks, how short it is, and when it was."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from holdfast.core.times import parse_moment
from holdfast.recall.engine.candidate_table import AGENT, Table
from holdfast.recall.engine.engine_values import LaneValues, PreparedQuestion, TimeRange

USER = "user"
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|our)\b")
_SECOND_PERSON = re.compile(r"\byou(?:r|rs)?\b")
_DAY = timedelta(days=1)


class SpeakerLane:
    """The question names who said it; `I` is the user, `you` the agent."""

    name = "said_by"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """1 for those of whom the question speaks."""
        question = asking.text.lower()
        speakers = {table.texts[row].said_by for row in table.rows}
        named = {speaker for speaker in speakers if _speaks_of(question, speaker)}
        values = [float(table.texts[row].said_by in named) for row in table.rows]
        return (
            _lane_values(values, lambda place: f"said by {table.texts[table.rows[place]].said_by}") if named else None
        )


class Asks:
    """Who asks seldom tells: to be weighed below zero."""

    name = "asks"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:  # noqa: ARG002  # the protocol's
        """The share of sentences that are questions."""
        values = [table.texts[row].asks for row in table.rows]
        return _lane_values(values, lambda place: f"{values[place]:.0%} of it asks")


class Length:
    """A few words seldom tell much."""

    name = "length"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """1 for texts of full length."""
        full = asking.recipe.settings.full_length
        lengths = [table.texts[row].length for row in table.rows]
        return _lane_values([min(1.0, length / full) for length in lengths], lambda place: f"{lengths[place]} words")


class Time:
    """The question speaks of a time."""

    name = "time"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """1 for passages of that time."""
        if not asking.ranges:
            return None
        dates = _dates(table)
        fits = [next((each for each in asking.ranges if is_in_range(date, each)), None) for date in dates]
        values = [float(each is not None) for each in fits]
        return _lane_values(values, lambda place: _explain_time(table.texts[table.rows[place]].ts, fits[place]))


class Recency:
    """What is new counts a little more."""

    name = "recency"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """1 for now, half after as many days as the recipe says."""
        now = asking.now
        if now is None:
            return None
        fresh = asking.recipe.settings.fresh
        ages = [max(timedelta(), now - date) / _DAY if date else None for date in _dates(table)]
        values = [0.0 if age is None else 2 ** (-age / fresh) for age in ages]
        return _lane_values(values, lambda place: f"{ages[place] or 0:.0f} days old")


def is_in_range(date: datetime | None, asked: TimeRange) -> bool:
    """Whether a moment lies in a range; the end is outside."""
    if date is None:
        return False
    return (asked.start is None or asked.start <= date) and (asked.end is None or date < asked.end)


def _explain_time(ts: str, asked: TimeRange | None) -> str:
    if asked is None:
        return ""
    return f"{ts[:10]} is {asked.phrase!r}" + (f" ({asked.why})" if asked.why else "")


def _speaks_of(question: str, speaker: str) -> bool:
    if speaker == USER:
        return _FIRST_PERSON.search(question) is not None
    if speaker in AGENT:
        return _SECOND_PERSON.search(question) is not None
    return bool(speaker) and re.search(rf"\b{re.escape(speaker)}\b", question) is not None


def _dates(table: Table) -> list[datetime | None]:
    return table.once("dates", lambda: [parse_moment(table.texts[row].ts) for row in table.rows])


def _lane_values(values: Sequence[float], why: Callable[[int], str]) -> LaneValues:
    return LaneValues(values=values, why=lambda place: why(place) if values[place] else "")
