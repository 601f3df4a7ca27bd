"""A memory on its way up: what a candidate carries that was promoted, and where it goes when it is accepted."""

from collections.abc import Mapping

from holdfast.core.errors import NotFound
from holdfast.core.memory import Memory, Scope
from holdfast.core.value import replace
from holdfast.workspace import App

HINTS: Mapping[str, str] = {
    Scope.TEAM: "`holdfast team join` joins one.",
    Scope.USER: "a team's server has nobody's own: keep it on your own machine.",
}
PROMOTE_TO, PROMOTED_FROM = "promote_to", "promoted_from"


class ScopeMissing(NotFound):
    """A place for memory that is not there."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"There is no memory of scope {str(scope)!r} here.", HINTS.get(scope, "run `holdfast init` here.")
        )


def choose_target_scope(app: App, candidate: Memory, asked: str) -> Scope:
    """Where an accepted candidate goes: the scope that was asked for, the one it was promoted to, else the usual."""
    wanted = asked or str(candidate.extra.get(PROMOTE_TO, ""))
    scope = Scope(wanted) if wanted in set(Scope) else app.scope
    if scope not in app.vaults:
        raise ScopeMissing(scope)
    return scope


def is_promotion(memory: Memory) -> bool:
    """Whether it is the same words, one step higher: what it came from ends only while this one is in reach."""
    return PROMOTE_TO in memory.extra


def strip_promotion(memory: Memory) -> Memory:
    """The memory without what only a candidate carries."""
    if not is_promotion(memory):
        return memory
    return replace(memory, extra={name: value for name, value in memory.extra.items() if name != PROMOTE_TO})
