"""Distilling started on its own, from a hook: nothing of the distiller is loaded for it."""

from holdfast.core.errors import HoldfastError
from holdfast.hook.hook import log
from holdfast.system.background import start
from holdfast.trust.tracked_files import Tracked
from holdfast.workspace import App


def start_waiting(app: App) -> bool:
    """Start a process that distils what waits, if the user wants that; it ends by itself."""
    if not app.settings["distil.auto"] or not_ours(app):
        return False
    start(app, "distil", "--quiet")
    return True


def start_after(workspace: str) -> None:
    """The same from a hook: no trouble of ours stops what comes after."""
    app = App(workspace)
    try:
        start_waiting(app)
    except (HoldfastError, OSError, ValueError) as error:
        log(app.home, f"distil: {type(error).__name__}: {error}")


def not_ours(app: App) -> bool:
    """Whether the journal here came by git: it is somebody else's, and nothing is made of it."""
    return not app.workspace or Tracked(app).holds("journal/")
