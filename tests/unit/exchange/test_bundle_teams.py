"""A team's memory in a bundle: it leaves with all else, and comes back through the team's own gate."""

import io
from pathlib import Path

import pytest

from holdfast.app import build_app
from holdfast.core.memory import Scope, Status
from holdfast.core.search import Select
from holdfast.exchange.bundles.export_import import (
    CANDIDATE,
    KNOWN,
    BundleImportResult,
    BundleKeys,
    BundleRecipients,
    build_export_request,
    export_bundle,
    open_import,
)
from holdfast.exchange.team import manage_teams
from holdfast.review.accept import accept
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.vault.promotion import ScopeMissing
from holdfast.workspace import App


def checkout(folder: Path) -> App:
    folder.mkdir()
    init(plan_init(str(folder), named=True))
    return build_app(str(folder))


@pytest.fixture
def ada(tmp_path: Path) -> App:
    """A workspace in a team that shares one decision."""
    app = checkout(tmp_path / "ada")
    manage_teams.init_team(app, "acme")
    kept = remember(build_app(app.workspace), MemoryDraft(type="decision", text="Use Textual"))
    [waiting] = manage_teams.promote_memories(build_app(app.workspace), [kept.memory.id])
    accept(build_app(app.workspace), [waiting.memory.id])
    return build_app(app.workspace)


def bundle_of(app: App, scope: str = "all") -> bytes:
    out = io.BytesIO()
    export_bundle(app, out, build_export_request(app, scope), BundleRecipients())
    return out.getvalue()


def bring_in(app: App, raw: bytes) -> BundleImportResult:
    with open_import(build_app(app.workspace), io.BytesIO(raw), BundleKeys()) as bundle:
        return bundle.go()


def of_team(app: App) -> list[str]:
    found = build_app(app.workspace).index.select(Select(scopes=(Scope.TEAM,)))
    return [entry.memory.id for entry in found if entry.memory.status is Status.ACCEPTED]


def test_a_bundle_of_everything_holds_the_teams_memory(ada: App) -> None:
    [shared] = of_team(ada)
    done = export_bundle(ada, io.BytesIO(), build_export_request(ada, "all"), BundleRecipients())

    paths = [row.path for row in done.manifest.files if row.path.startswith("team/")]
    assert len(paths) == 1
    assert shared in paths[0]
    assert "team" not in export_bundle(ada, io.BytesIO(), build_export_request(ada), BundleRecipients()).manifest.scopes


def test_where_the_team_has_it_it_is_known(ada: App) -> None:
    done = bring_in(ada, bundle_of(ada))

    assert {step.does for step in done.plan.steps if step.scope == "team"} == {KNOWN}
    assert done.plan.changes == ()


def test_where_the_team_lost_it_it_waits_at_the_teams_gate(ada: App) -> None:
    [shared] = of_team(ada)
    raw = bundle_of(ada, "team")
    next(Path(ada.folder, "team", "memory").rglob("*.md")).unlink()
    assert of_team(ada) == []

    [step] = bring_in(ada, raw).plan.of(CANDIDATE)

    assert of_team(ada) == []
    accept(build_app(ada.workspace), [step.candidate])
    assert len(of_team(ada)) == 1
    assert step.id == shared


def test_where_nobody_joined_it_waits_in_the_workspace(ada: App, tmp_path: Path) -> None:
    raw = bundle_of(ada, "team")
    far = checkout(tmp_path / "far")

    [step] = bring_in(far, raw).plan.of(CANDIDATE)

    assert "nobody joined" in step.reason
    [entry] = build_app(far.workspace).index.select(Select())
    assert (entry.memory.status, entry.scope) == (Status.CANDIDATE, Scope.WORKSPACE)
    assert not Path(far.folder, "team").exists()
    assert bring_in(far, raw).plan.of(CANDIDATE) == []


def test_a_team_that_nobody_joined_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(ScopeMissing):
        build_export_request(checkout(tmp_path / "alone"), "team")
