"""Watching vaults."""

from pathlib import Path

import pytest

from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.core.value import replace
from holdfast.core.vault_store import Vault
from holdfast.index.ram.vault import RamVault
from holdfast.vault.file_vault import FileVault
from holdfast.vault.watch import VaultWatcher

DECISION = Memory(id="DEC-1", type=MemoryType.DECISION, title="One")


@pytest.fixture(params=["ram", "files"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    return RamVault(Scope.USER) if request.param == "ram" else FileVault(str(tmp_path), Scope.USER)


def test_nothing_happens_in_a_quiet_vault(vault: Vault) -> None:
    vault.create(DECISION)
    watcher = VaultWatcher([vault])

    assert not watcher.changed(0)
    assert not watcher.changed(0)


def test_each_change_by_another_hand_is_told_once(vault: Vault) -> None:
    watcher = VaultWatcher([vault])

    entry = vault.create(DECISION)
    assert watcher.changed(0)
    assert not watcher.changed(0)
    entry = vault.rewrite(entry, replace(DECISION, title="Two"))
    assert watcher.changed(0)
    assert not watcher.changed(0)
    vault.remove(entry)
    assert watcher.changed(0)
    assert not watcher.changed(0)


def test_our_own_writes_do_not_wake_us(vault: Vault) -> None:
    watcher = VaultWatcher([vault])

    entry = vault.create(DECISION)
    watcher.wrote(entry)
    assert not watcher.changed(0)
    entry = vault.rewrite(entry, replace(DECISION, title="Two"))
    watcher.wrote(entry)
    assert not watcher.changed(0)
    vault.remove(entry)
    watcher.removed(entry)
    assert not watcher.changed(0)


def test_another_hand_after_ours_does_wake_us(vault: Vault) -> None:
    watcher = VaultWatcher([vault])
    entry = vault.create(DECISION)
    watcher.wrote(entry)

    vault.rewrite(entry, replace(DECISION, title="By another"))

    assert watcher.changed(0)


def test_a_change_while_waiting_ends_the_wait(vault: Vault) -> None:
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            vault.create(DECISION)

    watcher = VaultWatcher([vault], pause=0.25, clock=lambda: sum(naps), sleep=nap)

    assert watcher.changed(10)
    assert naps == [0.25] * 3


def test_a_wait_ends_with_its_time(vault: Vault) -> None:
    naps: list[float] = []
    watcher = VaultWatcher([vault], pause=0.25, clock=lambda: sum(naps), sleep=naps.append)

    assert not watcher.changed(0.6)
    assert sum(naps) == pytest.approx(0.6)
