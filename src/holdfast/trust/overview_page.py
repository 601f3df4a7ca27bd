"""The people's own page, `memory/overview.md`: the user's words, or somebody else's that the user allowed."""

from hashlib import sha256

from holdfast.core.memory import Entry, Memory, MemoryType, Scope
from holdfast.trust.visibility import PAGE, filter_visible_to_agents, read_overview_page
from holdfast.workspace import App

__all__ = ["PAGE", "read_overview"]


def read_overview(app: App) -> str:
    """The text of the page, if it may reach agents; else nothing. It is asked for as a memory's file is."""
    page = read_overview_page(app)
    if not page.strip():
        return ""
    asked = Memory(id=PAGE, type=MemoryType.LEARNING)
    notices = len(app.notices)
    found = Entry(memory=asked, scope=Scope.WORKSPACE, path=PAGE, line=1, sha256=sha256(page).hexdigest())
    kept = filter_visible_to_agents(app, [found])
    del app.notices[notices:]
    return page.decode("utf-8", "replace") if kept else ""
