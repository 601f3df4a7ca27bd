"""Our merge driver: set up where the user asks for it, and run where git does."""

from holdfast.journal.change_log import note_change
from holdfast.vault.git_driver import DRIVER, MergeDriverState, install, is_driver_requested, read_driver, uninstall
from holdfast.vault.git_merge import GitMergeResult, merge_files
from holdfast.workspace import App, need_person

__all__ = [
    "DRIVER",
    "GitMergeResult",
    "MergeDriverState",
    "install_driver",
    "is_driver_asked_for",
    "merge_files",
    "read_driver_state",
    "uninstall_driver",
]


def read_driver_state(app: App) -> MergeDriverState:
    """How the driver stands in this repository and this clone of it."""
    return read_driver(app.workspace)


def is_driver_asked_for(app: App) -> bool:
    """Whether the repository asks for it; without running git."""
    return bool(app.workspace) and is_driver_requested(app.workspace)


def install_driver(app: App) -> list[str]:
    """Set it up: .gitattributes and the clone's own settings; what changed."""
    need_person(app, "init --merge-driver")
    changed = install(app.workspace)
    if changed:
        note_change(app, "git", "merge driver", after="installed")
    return changed


def uninstall_driver(app: App) -> list[str]:
    """Take it out again; what changed."""
    need_person(app, "uninstall --merge-driver")
    changed = uninstall(app.workspace)
    if changed:
        note_change(app, "git", "merge driver", before="installed", after="removed")
    return changed
