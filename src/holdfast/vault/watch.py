"""Watching vaults from a long-running process: stamps compared every so often, no library needed."""

import time
from collections.abc import Callable, Iterable

from holdfast.core.memory import Entry, Scope
from holdfast.core.value import Value, replace
from holdfast.core.vault_store import Vault

Key = tuple[Scope, str]
PAUSE = 0.25


class _SeenFile(Value):
    """A file as it was last seen. Its sum is known only if its stamp was once in doubt, or we wrote it."""

    stamp: str
    sha256: str = ""


class VaultWatcher:
    """Tells when files of vaults change by another hand than ours."""

    def __init__(
        self,
        vaults: Iterable[Vault],
        *,
        pause: float = PAUSE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._vaults = {vault.scope: vault for vault in vaults}
        self._pause = pause
        self._clock = clock
        self._sleep = sleep
        # Only what is in doubt is read now: a settled stamp says enough, and there may be thousands.
        self._seen = {
            key: _SeenFile(stamp=stamp, sha256="" if stamp else self._sum(key)) for key, stamp in self._stamps().items()
        }

    def changed(self, timeout: float) -> bool:
        """Wait until somebody changes a file; false when nobody did in that many seconds."""
        deadline = self._clock() + timeout
        while not self._look():
            left = deadline - self._clock()
            if left <= 0:
                return False
            self._sleep(min(self._pause, left))
        return True

    def wrote(self, entry: Entry) -> None:
        """Our own write: it shall not wake us."""
        key = (entry.scope, entry.path)
        self._seen[key] = replace(self._seen.get(key, _SeenFile(stamp="")), sha256=entry.sha256)

    def removed(self, entry: Entry) -> None:
        """Our own removal of a file: it shall not wake us."""
        self._seen.pop((entry.scope, entry.path), None)

    def _look(self) -> bool:
        now = self._stamps()
        gone = self._seen.keys() - now.keys()
        for key in gone:
            del self._seen[key]
        moved = [key for key, stamp in now.items() if self._moved(key, stamp)]
        return bool(gone or moved)

    def _stamps(self) -> dict[Key, str]:
        return {(scope, path): stamp for scope, vault in self._vaults.items() for path, stamp in vault.stamps().items()}

    def _moved(self, key: Key, stamp: str) -> bool:
        known = self._seen.get(key)
        if known is not None and stamp and stamp == known.stamp:
            return False
        sha256 = self._sum(key)
        self._seen[key] = _SeenFile(stamp=stamp, sha256=sha256)
        return known is None or known.sha256 != sha256

    def _sum(self, key: Key) -> str:
        scope, path = key
        file = self._vaults[scope].read(path)
        return "" if file is None else file.sha256
