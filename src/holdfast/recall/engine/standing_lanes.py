"""Lanes of a memory's own standing: where it holds, and how often it was of use. Both know only what they are told."""

import math
from collections.abc import Sequence

from holdfast.core.path_scope import applies_to
from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import LaneValues, PreparedQuestion

# So many uses are as good as more.
MANY = 10


class Path:
    """The question comes from a path, or names one: what holds there goes before what holds everywhere."""

    name = "path"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """1 for passages whose scope holds one of the paths."""
        paths = asking.standing.paths
        globs = asking.standing.globs_of(table.rows) if paths else {}
        at = [_first_match(globs.get(row, ()), paths) for row in table.rows]
        if not any(at):
            return None
        return LaneValues(values=[float(bool(path)) for path in at], why=lambda place: f"holds at {at[place]}")


class Use:
    """What sessions made use of before is likelier to be wanted again."""

    name = "use"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """From 0 to 1 by how many sessions used it."""
        used = asking.standing.used_of(table.rows)
        values = [min(1.0, math.log1p(used.get(row, 0)) / math.log1p(MANY)) for row in table.rows]
        if not any(values):
            return None
        return LaneValues(values=values, why=lambda place: f"used in {used[table.rows[place]]} sessions")


def _first_match(globs: Sequence[str], paths: Sequence[str]) -> str:
    return next((path for path in paths if applies_to(globs, path)), "") if globs else ""
