"""Backups in a store: named by time and sum, kept as the settings say, and never the last one lost."""

import os
import random
import shlex
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from string import ascii_lowercase

import pytest

from holdfast.app import build_app
from holdfast.care.diagnose import examine
from holdfast.care.workspace_status import read_status
from holdfast.core.errors import HoldfastError
from holdfast.core.search import Select
from holdfast.exchange.bundles.backup_schedule import PathNotSchedulable, render_backup_schedule
from holdfast.exchange.bundles.backups import (
    NoBackupStore,
    NoSuchBackup,
    list_backup_folders,
    list_backups,
    open_backup,
    prune_backups,
    read_backup_age,
    write_backup,
)
from holdfast.exchange.bundles.bundle_outbox import list_outbox
from holdfast.exchange.bundles.bundle_places import StoreDestination, export_into_store
from holdfast.exchange.bundles.export_import import BundleKeys, BundleRecipients, build_export_request, open_import
from holdfast.exchange.object_store import Unreachable
from holdfast.exchange.open_store import open_store
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App


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
    found = build_app(str(tmp_path / "shop"))
    found.clock = Clock()  # type: ignore[assignment]  # a clock
    remember(found, MemoryDraft(type="decision", text="Use Textual"))
    return found


def with_settings(app: App, **values: int) -> App:
    other = build_app(app.workspace, {f"backup.{name}": str(value) for name, value in values.items()})
    other.clock = app.clock
    return other


def test_a_backup_is_named_by_time_and_sum_and_comes_back(app: App) -> None:
    done = write_backup(app)
    [found] = list_backups(app)
    next(Path(app.folder, "memory").rglob("DEC-*.md")).unlink()

    with open_backup(app, "latest") as (data, _), open_import(app, data, BundleKeys()) as bundle:
        bundle.go()

    assert found.name.startswith("20261115T1200")
    assert done.report["sha256"][:12] in found.name
    assert len(list(Path(app.folder, "memory").rglob("DEC-*.md"))) == 1


def test_backups_of_two_workspaces_of_one_name_do_not_meet(app: App, tmp_path: Path) -> None:
    write_backup(app)
    (tmp_path / "deep" / "shop").mkdir(parents=True)
    init(plan_init(str(tmp_path / "deep" / "shop"), named=True))

    assert list_backups(build_app(str(tmp_path / "deep" / "shop"))) == []


@pytest.mark.parametrize(("setting", "value", "left"), [("keep", 2, 2), ("keep", 0, 4), ("max_mb", 1, 4)])
def test_prune_keeps_what_the_settings_say(app: App, setting: str, value: int, left: int) -> None:
    for _ in range(4):
        write_backup(app)
    names = [each.name for each in list_backups(app)]

    prune_backups(with_settings(app, **{setting: value}), dry_run=True)
    assert len(list_backups(app)) == 4
    gone = prune_backups(with_settings(app, **{setting: value}))

    assert [each.name for each in list_backups(app)] == names[4 - left :]
    assert sorted(gone.names) == names[: 4 - left]


def test_prune_by_age_leaves_the_newest(app: App) -> None:
    for _ in range(2):
        write_backup(app)
    names = [each.name for each in list_backups(app)]
    app.clock.time = datetime.now(UTC) + timedelta(days=40)  # type: ignore[attr-defined]  # a test's clock

    prune_backups(with_settings(app, keep_days=30))

    assert [each.name for each in list_backups(app)] == names[1:]


def test_an_old_backup_is_told(app: App) -> None:
    assert read_backup_age(app).warning.startswith("There is no backup yet")
    write_backup(app)
    assert read_backup_age(app).warning == ""
    app.clock.time += timedelta(days=9)  # type: ignore[attr-defined]  # a test's clock

    assert read_backup_age(app).warning.startswith("The last backup is 9 days old")
    assert read_status(app).backup.warning.startswith("The last backup is 9 days old")
    assert [finding.remedy for finding in examine(app) if finding.check == "backup"] == ["run `holdfast backup now`."]
    assert read_backup_age(with_settings(app, max_age_days=0)).warning == ""


def test_without_a_store_nothing_is_said_and_nothing_done(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDFAST_BACKUP_STORE")
    bare = build_app(app.workspace)

    assert read_backup_age(bare).warning == ""
    with pytest.raises(NoBackupStore):
        write_backup(bare)


def test_a_repository_does_not_say_where_backups_go(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDFAST_BACKUP_STORE")
    Path(app.folder, "config.toml").write_text('backup.store = "/elsewhere"\n')

    with pytest.raises(NoBackupStore):
        write_backup(build_app(app.workspace))


def test_a_backup_that_is_not_there_is_told(app: App) -> None:
    for name in ("latest", "2020"):
        with pytest.raises(NoSuchBackup), open_backup(app, name):
            pass
    write_backup(app)
    write_backup(app)
    with pytest.raises(HoldfastError, match="could be any of"), open_backup(app, "2026"):
        pass


def test_a_schedule_names_the_workspace(app: App) -> None:
    assert f"-C {app.workspace} backup now --prune" in render_backup_schedule(app, "cron")
    assert "OnCalendar" in render_backup_schedule(app, "systemd")


HARD = 'a b 50% "$HOME" it\'s'


@pytest.fixture
def hard(tmp_path: Path, app: App) -> App:
    """A workspace whose path means something to every reader of units."""
    (tmp_path / HARD).mkdir()
    init(plan_init(str(tmp_path / HARD), named=True))
    return build_app(str(tmp_path / HARD))


def test_systemd_reads_the_unit_without_a_word(hard: App, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        pytest.skip("no systemd here to read it")
    units = tmp_path / "units"
    units.mkdir()
    names = []
    for part in render_backup_schedule(hard, "systemd").partition("# then:")[0].split("# ~/.config/systemd/user/")[1:]:
        name, _, text = part.partition("\n")
        (units / name).write_text(text)
        names.append(str(units / name))

    told = subprocess.run([analyze, "--user", "verify", *names], capture_output=True, text=True, check=False)

    assert [line for line in told.stderr.splitlines() if "holdfast-backup" in line] == []
    assert [Path(name).suffix for name in names] == [".service", ".timer"]


def test_systemd_gets_each_word_whole(hard: App) -> None:
    [line] = [each for each in render_backup_schedule(hard, "systemd").splitlines() if each.startswith("ExecStart=")]

    # What systemd.service(5) says of quotes, percent and dollar signs.
    words = shlex.split(line.removeprefix("ExecStart=").replace("%%", "%").replace("$$", "$"))

    assert words[1:] == ["-C", hard.workspace, "backup", "now", "--prune"]


def test_cron_runs_the_very_command(hard: App) -> None:
    command = render_backup_schedule(hard, "cron").splitlines()[-1].split(" ", 5)[5]
    assert command.count("%") == command.count("\\%") > 0

    # As cron hands it to its shell.
    path = command.replace("\\%", "%").partition(" -C ")[2].removesuffix(" backup now --prune")
    told = subprocess.run(["/bin/sh", "-c", f"printf %s {path}"], capture_output=True, text=True, check=True)

    assert told.stdout == hard.workspace


def test_a_path_with_a_line_break_is_refused(app: App, tmp_path: Path) -> None:
    (tmp_path / "a\nb").mkdir()
    init(plan_init(str(tmp_path / "a\nb"), named=True))

    with pytest.raises(PathNotSchedulable):
        render_backup_schedule(build_app(str(tmp_path / "a\nb")), "cron")


def test_prune_by_size_leaves_the_newest(app: App) -> None:
    Path(app.folder, "log").mkdir(exist_ok=True)
    chance = random.Random(1)
    for _ in range(3):
        words = ("".join(chance.choices(ascii_lowercase, k=6)) for _ in range(120_000))
        Path(app.folder, "log", "2026-01-01.md").write_text(" ".join(words))
        write_backup(app)
    names = [each.name for each in list_backups(app)]
    assert min(each.size for each in list_backups(app)) > 334_000

    prune_backups(with_settings(app, max_mb=1))
    assert [each.name for each in list_backups(app)] == names[1:]
    prune_backups(with_settings(app, keep=1))
    assert [each.name for each in list_backups(app)] == names[2:]


def test_on_another_machine_a_backup_is_found_by_its_folder(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_backup(app)
    [folder] = list_backup_folders(app)
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "far-home"))
    (tmp_path / "far").mkdir()
    init(plan_init(str(tmp_path / "far"), named=True))
    far = build_app(str(tmp_path / "far"))

    with pytest.raises(NoSuchBackup) as told, open_backup(far, "latest"):
        pass
    with open_backup(far, f"{folder}/latest") as (data, _), open_import(far, data, BundleKeys(), mine=True) as bundle:
        bundle.go()

    assert f"restore {folder}/latest" in told.value.hint
    assert [entry.memory.title for entry in build_app(far.workspace).index.select(Select())] == ["Use Textual"]


def test_what_was_not_sent_is_told_until_it_is(app: App, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(Unreachable):
        write_backup(app)

    [late] = list_outbox(app)
    told = [finding.problem for finding in examine(with_settings(app, max_age_days=0)) if finding.check == "backup"]

    assert [words.startswith("Memory waits to be sent") for words in told] == [True]
    assert late.place.startswith(str(tmp_path / "store"))
    assert late.bytes > 0
    (tmp_path / "store").unlink()
    write_backup(app)
    assert list_outbox(app) == []


def test_what_nobody_sends_on_is_swept_after_a_day(app: App, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(Unreachable):
        write_backup(app)
    [box] = [each for each in Path(app.folder, "state", "share", "outbox").iterdir() if each.is_dir()]
    elsewhere = open_store(str(tmp_path / "other"))

    export_into_store(app, elsewhere, build_export_request(app), BundleRecipients(), StoreDestination())
    assert box.exists()
    os.utime(box, (0, 0))
    export_into_store(app, elsewhere, build_export_request(app), BundleRecipients(), StoreDestination())

    assert not box.exists()


def test_a_backup_whose_sending_was_cut_short_goes_on(app: App, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(Unreachable):
        write_backup(app)
    (tmp_path / "store").unlink()
    made = app.clock.time  # type: ignore[attr-defined]  # a test's clock
    remember(app, MemoryDraft(type="decision", text="Later"))

    done = write_backup(app)

    assert done.resumed
    assert done.report["created"] <= made.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert not write_backup(app).resumed


def test_what_a_repository_puts_into_the_outbox_is_not_sent(app: App, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(Unreachable):
        write_backup(app)
    (tmp_path / "store").unlink()
    [target] = Path(app.folder, "state", "share", "outbox").glob("*/target.json")
    target.write_text(target.read_text().replace("0", "1"))

    assert not write_backup(app).resumed
