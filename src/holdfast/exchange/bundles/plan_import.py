"""What importing a bundle would do, worked out file by file. See docs/formats/bundle.md."""

import os

from holdfast.core.errors import NotFound
from holdfast.core.memory import Scope
from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.read_bundle import Unpacked
from holdfast.exchange.bundles.import_memories import BundleMemories
from holdfast.exchange.bundles.import_plan import REJECTED, BundlePlan
from holdfast.exchange.bundles.import_records import BundleRecords
from holdfast.exchange.bundles.local_state import LocalImportState
from holdfast.exchange.bundles.purged_bundles import holds_purged
from holdfast.workspace import App

NEEDS_WORKSPACE = frozenset({Scope.WORKSPACE, Scope.TEAM})


class BundleNeedsWorkspace(NotFound):
    """A bundle of a workspace, where there is none."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"What this bundle would bring belongs to a workspace, and there is none in {folder!r} or above it.",
            "run `holdfast init` in the folder that should have it, then import it there.",
        )


def plan_bundle_import(app: App, unpacked: Unpacked, folder: str) -> BundlePlan:
    """What a bundle that lies unpacked in a folder would bring. Writes into that folder only."""
    here = LocalImportState(app, folder)
    homeless = False
    memories, records = (
        BundleMemories(here, unpacked),
        BundleRecords(here, unpacked, tainted=holds_purged(here, unpacked)),
    )
    for kind, take in (
        (bundle_paths.LEDGER, memories.take_ledger),
        (bundle_paths.MEMORY, memories.take_memory),
        (bundle_paths.CANDIDATE, memories.take_candidate),
        (bundle_paths.PAGE, records.take_record),
        (bundle_paths.CONFIG, records.take_record),
        (bundle_paths.RECORD, records.take_record),
        (bundle_paths.JOURNAL, records.take_journal),
        (bundle_paths.DISTILLED, records.take_distilled),
    ):  # fmt: skip
        for row in unpacked.manifest.files:
            scope, path = bundle_paths.split_scope(row.path)
            if row.kind != kind:
                continue
            if scope in NEEDS_WORKSPACE and not app.workspace:
                homeless = True
                here.note(REJECTED, kind, scope, path, reason="it belongs to a workspace, and here is none")
            else:
                take(row)
    plan = BundlePlan(
        steps=tuple(here.steps), changes=here.files.changes(), records=tuple(records.steps),
        journals=tuple(records.journals), ledger=here.ledger.form(), distilled=records.distilled,
    )  # fmt: skip
    if homeless and not (plan.changes or plan.records or plan.journals):
        raise BundleNeedsWorkspace(os.getcwd())
    return plan
