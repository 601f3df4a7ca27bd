"""Distilling started on its own, from a hook: nothing of the distiller is loaded for it."""

from holdfast.app import build_app
from holdfast.core.errors import HoldfastError
from holdfast.journal.capture_event import log_problem
from holdfast.system.background import start_background
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.workspace import App


def start_distilling(app: App) -> bool:
    """Start a process that distils what waits, if the user wants that; it ends by itself."""
    if not app.settings["distil.auto"] or is_foreign_journal(app):
        return False
    start_background(app.home, app.workspace or app.home, "distil", "--quiet")
    return True


def start_distilling_from_hook(workspace: str) -> None:
    """The same from a hook: no trouble of ours stops what comes after."""
    app = build_app(workspace)
    try:
        start_distilling(app)
    except (HoldfastError, OSError, ValueError) as error:
        log_problem(app.home, f"distil: {type(error).__name__}: {error}")


def is_foreign_journal(app: App) -> bool:
    """Whether the journal here came by git: it is somebody else's, and nothing is made of it."""
    return not app.workspace or TrackedFiles(app).holds("journal/")
