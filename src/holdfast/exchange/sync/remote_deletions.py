"""What another side may take away here, and what of it is passed on: little, told, and to be undone.

A side takes away what both had last time, and no more. What it gives and takes stays between the two: another side
hears of it only when a person passes it on.
"""

from collections.abc import Collection, Mapping, Sequence

from holdfast.core.errors import Conflict
from holdfast.core.memory import Scope
from holdfast.core.value import Value
from holdfast.exchange.sync.serve_sync import is_shared
from holdfast.exchange.sync.sync_state import SyncState, list_states
from holdfast.exchange.three_way import SyncAction, SyncStep
from holdfast.forget.tombstones import sums_of
from holdfast.workspace import App

__all__ = ["OtherPeers", "SyncDeletion", "TooManyDeletions", "check_deletions", "find_deletions"]

FEW, PART = 10, 5
MOST_NAMED = 5


class TooManyDeletions(Conflict):
    """A side that would take away much of what is here, or again what was brought back."""

    def __init__(self, side: str, paths: Sequence[str], here: int, *, again: bool) -> None:
        shown = ", ".join(repr(path) for path in paths[:MOST_NAMED]) + ("…" if len(paths) > MOST_NAMED else "")
        what = (
            "takes away again what was brought back here" if again else f"would take away {len(paths)} of {here} files"
        )
        super().__init__(
            f"{side} {what}: {shown}. Nothing was done.",
            "look at what it has with --dry-run, ask who keeps it; if it is right: the same with --yes.",
        )


class SyncDeletion(Value):
    """What a sync took away here, and how; of what was purged, the id alone."""

    what: str
    why: str


class OtherPeers:
    """What other sides gave and took here: it is passed on to nobody else by itself."""

    def __init__(self, app: App, scope: Scope, name: str) -> None:
        self._came = {
            (path, each.sha256): side.name for side in list_states(app, scope, name) for path, each in side.came.items()
        }
        self._took = {sha: side.name for side in list_states(app, scope, name) for sha in side.took}

    def gave(self, path: str, sha: str) -> str:
        """Which of them a file came from, as it is; empty: none."""
        return self._came.get((path, sha), "")

    def took(self, sha: str) -> str:
        """Which of them took a file away."""
        return self._took.get(sha, "")


def find_deletions(state: SyncState, here: Mapping[str, str], theirs: Collection[str], *, yes: bool) -> dict[str, str]:
    """The files that a side's marks take: exactly what both had last time, each once. Path and sum.

    `yes`: a person says that it may take every exact copy.
    """
    sums = sums_of(theirs)
    return {
        path: sha
        for path, sha in (here.items() if sums else ())
        if sha in sums and is_shared(path) and (yes or (state.base.get(path) == sha and sha not in state.obeyed))
    }


def check_deletions(
    state: SyncState, steps: Sequence[SyncStep], dooms: Collection[str], here: Mapping[str, str]
) -> None:
    """Refuse to lose much without a person's word. Raises TakesMany."""
    drops = {step.path: step.here for step in steps if step.does is SyncAction.DROP and is_shared(step.path)}
    going = sorted({*drops, *dooms})
    files = sum(is_shared(path) for path in here)
    again = [path for path, sha in drops.items() if sha in state.returned]
    if again or (len(going) > FEW and len(going) * PART > files):
        raise TooManyDeletions(state.name, again or going, files, again=bool(again))
