"""An app that touches no disk, for tests and for memory that starts from nothing."""

from holdfast.core.memory import Scope
from holdfast.index.build_index import IndexedVault, sync_index
from holdfast.index.ram.candidates import RamCandidates
from holdfast.index.ram.index import RamIndex
from holdfast.index.ram.journal import RamJournal
from holdfast.index.ram.vault import RamVault
from holdfast.workspace import App


class RamApp(App):
    """The parts of a workspace, in memory."""

    def __init__(self, workspace: str) -> None:
        super().__init__(workspace)
        self.on_disk = False
        self._vaults = {Scope.WORKSPACE: RamVault(Scope.WORKSPACE), Scope.USER: RamVault(Scope.USER)}
        self.__dict__.update(
            vaults=self._vaults,
            candidates=RamCandidates(),
            candidate_vault=RamVault(Scope.WORKSPACE),
            journal=RamJournal(),
        )
        self._store = RamIndex()
        self.refresh()

    def refresh(self) -> None:
        """Bring the index in step with what was just written."""
        sync_index(
            self._store, [IndexedVault(name="memory", vault=vault) for vault in self._vaults.values()], self.journal
        )
        self.__dict__["index"] = self._store


def make_ram_app(workspace: str) -> App:
    """A workspace that holds nothing and writes nothing."""
    return RamApp(workspace)
