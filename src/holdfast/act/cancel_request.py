"""Ending a run that some process carries, from another one."""

import time

from holdfast.act.run_files import RUNNING, AgentRun
from holdfast.core.errors import Conflict, Unavailable

# How long a run may take to end its commands and write down where it is.
PATIENCE = 20.0
_PAUSE = 0.1


class IsConversation(Conflict):
    """A conversation is ended by who talks."""

    def __init__(self, run: str) -> None:
        super().__init__(f"{run!r} is a conversation, not a run.", "leave it where it goes on: /quit ends it.")


class DidNotEnd(Unavailable):
    """A run that would not stop."""

    def __init__(self, run: str) -> None:
        super().__init__(f"Run {run!r} was told to stop and has not yet.", "look again in a moment.")


def request_cancel(run: AgentRun, way: str, by: str = "") -> bool:
    """Ask whoever carries a run to end it; False where nobody does. Raises IsConversation, RunOfAnother."""
    if not run.alive and not (run.elsewhere and run.status == RUNNING):
        return False
    if run.state().get("chat"):
        raise IsConversation(run.name)
    run.ask_to_cancel(way, by)
    return True


def wait_for_end(run: AgentRun, patience: float = PATIENCE) -> None:
    """Wait until nobody carries it. Raises DidNotEnd."""
    deadline = time.monotonic() + patience
    while run.alive:
        if time.monotonic() > deadline:
            raise DidNotEnd(run.name)
        time.sleep(_PAUSE)
