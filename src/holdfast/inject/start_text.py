"""What a session would be told at its start, for entrances that are asked for it."""

import os

from holdfast.core.errors import NotFound, Refused
from holdfast.inject.answer import answer_event
from holdfast.review.agent_access import CLOSE, OPEN, is_allowed
from holdfast.system.folders import read_own_file
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.workspace import App, NoWorkspace

LIMIT = 8_000
ACTIVE = "context/active.md"
LARGEST = 64 * 1024


class BriefingNotAllowed(Refused):
    """A workspace whose memory the user has not let out yet."""

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"The user has not allowed the memory of {workspace!r} to reach agents.",
            "ask the user to look at it and type `holdfast allow` there, in a terminal of their own.",
        )


class NoActivePack(NotFound):
    """No pack was written for a run."""

    def __init__(self) -> None:
        super().__init__("No pack is active here.", "the tool `pack` makes one for a goal.")


def build_briefing(app: App, session: str, client: str = "mcp") -> str:
    """What a session start is told, without the fence; noted like any telling. Empty when there is nothing to tell."""
    _require_allowed(app)
    event = {
        "client": client, "session": session, "name": "session_start", "cwd": app.workspace,
        "data": {"source": client},
    }  # fmt: skip
    return answer_event(app.workspace, event, "", LIMIT).text.removeprefix(OPEN).removesuffix(CLOSE).strip()


def read_active_pack(app: App) -> str:
    """The pack of the current run."""
    _require_allowed(app)
    text = "" if TrackedFiles(app).holds(ACTIVE) else _read(os.path.join(app.folder, ACTIVE))
    if not text.strip():
        raise NoActivePack
    return text


def _require_allowed(app: App) -> None:
    if not app.workspace:
        raise NoWorkspace(os.getcwd())
    if not is_allowed(app):
        raise BriefingNotAllowed(app.workspace)


def _read(path: str) -> str:
    """The beginning of a file; empty where none is, or a link or something else than a file."""
    return (read_own_file(path, LARGEST) or b"").decode("utf-8", "replace")
