"""Backups in a store: named by time and sum, kept as the settings say, and never the last one lost."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast.domain.errors import HoldfastError
from holdfast.memory.backups import NoBackup, NoStore, age, backup_named, backup_now, backups, prune, schedule
from holdfast.memory.bundles import Keys, bring
from holdfast.memory.doctor import examine
from holdfast.memory.remember import Draft, remember
from holdfast.memory.setup import init, plan_init
from holdfast.memory.status import status
from holdfast.ports.objects import Unreachable
from holdfast.wiring.app import App


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 15, 12, tzinfo=UTC)

    def now(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    monkeypatch.setenv("HOLDFAST_BACKUP_STORE", str(tmp_path / "store"))
    (tmp_path / "shop").mkdir()
    init(plan_init(str(tmp_path / "shop"), named=True))
    found = App(str(tmp_path / "shop"))
    found.clock = Clock()  # type: ignore[assignment]  # a clock
    remember(found, Draft(type="decision", text="Use Textual"))
    return found


def with_settings(app: App, **values: int) -> App:
    other = App(app.workspace, {f"backup.{name}": str(value) for name, value in values.items()})
    other.clock = app.clock
    return other


def test_a_backup_is_named_by_time_and_sum_and_comes_back(app: App) -> None:
    done = backup_now(app)
    [found] = backups(app)
    next(Path(app.folder, "memory").rglob("DEC-*.md")).unlink()

    with backup_named(app, "latest") as (data, _), bring(app, data, Keys()) as bundle:
        bundle.go()

    assert found.name.startswith("20261115T1200")
    assert done.told["sha256"][:12] in found.name
    assert len(list(Path(app.folder, "memory").rglob("DEC-*.md"))) == 1


def test_backups_of_two_workspaces_of_one_name_do_not_meet(app: App, tmp_path: Path) -> None:
    backup_now(app)
    (tmp_path / "deep" / "shop").mkdir(parents=True)
    init(plan_init(str(tmp_path / "deep" / "shop"), named=True))

    assert backups(App(str(tmp_path / "deep" / "shop"))) == []


@pytest.mark.parametrize(("setting", "value", "left"), [("keep", 2, 2), ("keep", 0, 4), ("max_mb", 1, 4)])
def test_prune_keeps_what_the_settings_say(app: App, setting: str, value: int, left: int) -> None:
    for _ in range(4):
        backup_now(app)
    names = [each.name for each in backups(app)]

    prune(with_settings(app, **{setting: value}), dry_run=True)
    assert len(backups(app)) == 4
    gone = prune(with_settings(app, **{setting: value}))

    assert [each.name for each in backups(app)] == names[4 - left :]
    assert sorted(gone.names) == names[: 4 - left]


def test_prune_by_age_leaves_the_newest(app: App) -> None:
    for _ in range(2):
        backup_now(app)
    names = [each.name for each in backups(app)]
    app.clock.time = datetime.now(UTC) + timedelta(days=40)  # type: ignore[attr-defined]  # a test's clock

    prune(with_settings(app, keep_days=30))

    assert [each.name for each in backups(app)] == names[1:]


def test_an_old_backup_is_told(app: App) -> None:
    assert age(app).warning.startswith("There is no backup yet")
    backup_now(app)
    assert age(app).warning == ""
    app.clock.time += timedelta(days=9)  # type: ignore[attr-defined]  # a test's clock

    assert age(app).warning.startswith("The last backup is 9 days old")
    assert status(app).backup.warning.startswith("The last backup is 9 days old")
    assert [finding.remedy for finding in examine(app) if finding.check == "backup"] == ["run `holdfast backup now`."]
    assert age(with_settings(app, max_age_days=0)).warning == ""


def test_without_a_store_nothing_is_said_and_nothing_done(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDFAST_BACKUP_STORE")
    bare = App(app.workspace)

    assert age(bare).warning == ""
    with pytest.raises(NoStore):
        backup_now(bare)


def test_a_repository_does_not_say_where_backups_go(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDFAST_BACKUP_STORE")
    Path(app.folder, "config.toml").write_text('backup.store = "/elsewhere"\n')

    with pytest.raises(NoStore):
        backup_now(App(app.workspace))


def test_a_backup_that_is_not_there_is_told(app: App) -> None:
    for name in ("latest", "2020"):
        with pytest.raises(NoBackup), backup_named(app, name):
            pass
    backup_now(app)
    backup_now(app)
    with pytest.raises(HoldfastError, match="could be any of"), backup_named(app, "2026"):
        pass


def test_a_schedule_names_the_workspace(app: App) -> None:
    assert f"-C {app.workspace} backup now --prune" in schedule(app, "cron")
    assert "OnCalendar" in schedule(app, "systemd")


def test_a_backup_whose_sending_was_cut_short_goes_on(app: App, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(Unreachable):
        backup_now(app)
    (tmp_path / "store").unlink()
    made = app.clock.time  # type: ignore[attr-defined]  # a test's clock
    remember(app, Draft(type="decision", text="Later"))

    done = backup_now(app)

    assert done.resumed
    assert done.told["created"] <= made.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert not backup_now(app).resumed


def test_what_a_repository_puts_into_the_outbox_is_not_sent(app: App, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(Unreachable):
        backup_now(app)
    (tmp_path / "store").unlink()
    [target] = Path(app.folder, "state", "share", "outbox").glob("*/target.json")
    target.write_text(target.read_text().replace("0", "1"))

    assert not backup_now(app).resumed
