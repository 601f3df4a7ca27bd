"""Our merge driver: set up where the user asks for it, and run where git does."""

from holdfast.app import need_person
from holdfast.journal.change_log import note_change
from holdfast.vault.git_driver import DRIVER, Driver, asks, driver, install, uninstall
from holdfast.vault.git_merge import Done, merge_files
from holdfast.workspace import App

__all__ = ["DRIVER", "Done", "Driver", "asks_for_driver", "install_driver", "merge_files", "state", "uninstall_driver"]


def state(app: App) -> Driver:
    """How the driver stands in this repository and this clone of it."""
    return driver(app.workspace)


def asks_for_driver(app: App) -> bool:
    """Whether the repository asks for it; without running git."""
    return bool(app.workspace) and asks(app.workspace)


def install_driver(app: App) -> list[str]:
    """Set it up: .gitattributes and the clone's own settings; what changed."""
    need_person(app, "git install")
    changed = install(app.workspace)
    if changed:
        note_change(app, "git", "merge driver", after="installed")
    return changed


def uninstall_driver(app: App) -> list[str]:
    """Take it out again; what changed."""
    need_person(app, "git uninstall")
    changed = uninstall(app.workspace)
    if changed:
        note_change(app, "git", "merge driver", before="installed", after="removed")
    return changed
