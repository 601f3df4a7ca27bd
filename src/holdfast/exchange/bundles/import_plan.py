"""What importing a bundle would do, as a value: made before anything is written, kept on disk until all of it is."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.value import Value

DROPPED, FORGOTTEN, REJECTED, KEPT = "dropped", "forgotten", "rejected", "kept"
MEMORY, CANDIDATES = "memory", "candidates"
PUT, LINES = "put", "lines"


class BundleStep(Value):
    """One thing of a bundle, and what becomes of it. `candidate`: the id of the candidate it becomes."""

    does: str
    kind: str
    scope: str
    id: str
    title: str = ""
    reason: str = ""
    candidate: str = ""


class BundleFileChange(Value):
    """A file of memory that changes: its sum now, and where the bytes lie that it will hold; empty: it goes."""

    scope: str
    path: str
    id: str
    before: str
    after: str


class RecordStep(Value):
    """A record that is written: whole, or its lines added to those that are there. `before` is its sum now."""

    scope: str
    path: str
    staged: str
    how: str
    mtime: int
    before: str


class BundlePlan(Value):
    """Everything that an import would do."""

    steps: tuple[BundleStep, ...]
    changes: tuple[BundleFileChange, ...]
    records: tuple[RecordStep, ...]
    journals: tuple[tuple[str, str], ...]
    ledger: Mapping[str, Any]
    distilled: str = ""

    def of(self, *does: str) -> list[BundleStep]:
        """The steps of these kinds."""
        return [step for step in self.steps if step.does in does]


def plan_to_json(plan: BundlePlan) -> dict[str, Any]:
    """What must be on disk before a plan is carried out."""
    return {
        "changes": [[each.scope, each.path, each.id, each.before, each.after] for each in plan.changes],
        "records": [[r.scope, r.path, r.staged, r.how, r.mtime, r.before] for r in plan.records],
        "journals": [list(each) for each in plan.journals],
        "ledger": dict(plan.ledger),
        "distilled": plan.distilled,
    }


def plan_from_json(form: Mapping[str, Any]) -> BundlePlan:
    """The plan that was written down."""
    names = ("scope", "path", "id", "before", "after")
    changes = (BundleFileChange(**dict(zip(names, row, strict=True))) for row in form["changes"])
    columns = ("scope", "path", "staged", "how", "mtime", "before")
    records = (RecordStep(**dict(zip(columns, row, strict=True))) for row in form["records"])
    journals = tuple((str(scope), str(place)) for scope, place in form["journals"])
    return BundlePlan(
        steps=(), changes=tuple(changes), records=tuple(records), journals=journals, ledger=form["ledger"],
        distilled=str(form["distilled"]),
    )  # fmt: skip
