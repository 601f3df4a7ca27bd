"""Who asks, and what they may do. Loads no web library: `holdfast serve token` needs none."""

from contextvars import ContextVar
from enum import StrEnum

from holdfast.core.presence import TOKEN, Presence
from holdfast.core.value import Value
from holdfast.trust.presence import find_agent_problem
from holdfast.workspace import App


class Right(StrEnum):
    """What a token is good for. Every token may read."""

    READ = "read"
    REVIEW = "review"
    RUN = "run"


EVERY_RIGHT = frozenset(Right)


class Caller(Value):
    """Whose token a request carries, and what it is good for. `key`: the token's sum, since names come again.

    `by`: who opened Studio with it, or made it for a program of theirs; None for the token that lies in a file.
    """

    name: str
    rights: frozenset[Right]
    key: str = ""
    by: Presence | None = None

    def may(self, right: Right) -> bool:
        """Whether this caller has a right."""
        return right in self.rights


# Who sent the request that is worked on now.
current_caller: ContextVar[Caller | None] = ContextVar("current_caller", default=None)


def presence_of_caller(app: App, caller: Caller) -> Presence:
    """Who decides by a request. The token in the user's home every program of theirs can read: an agent's too."""
    if caller.by is not None:
        return caller.by
    why = find_agent_problem(app)
    return Presence(who=caller.name, how=TOKEN, where="the token in the home folder", proven=not why, why=why)
