"""Records synced with a team's: what is our own goes, what is others' comes, and no owner is overruled."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from holdfast.exchange.peer import Peer, PeerRefused, Swap
from holdfast.exchange.three_way import SyncAction, SyncStep
from holdfast.records.team_records import TeamRecords

AT_ONCE = 200
AT_ONCE_BYTES = 4 << 20


class RecordSync:
    """The steps of records, taken in handfuls. `base`: what both sides had last time, brought up to date on the way."""

    def __init__(self, here: TeamRecords, shared: Peer, base: dict[str, str]) -> None:
        self._here, self._shared, self._base = here, shared, base
        self.pulled: list[str] = []
        self.pushed: list[str] = []
        self.refused: dict[str, str] = {}

    def take(self, steps: Sequence[SyncStep]) -> list[str]:
        """Take all of them; those where a side moved meanwhile."""
        by_way: dict[SyncAction | None, list[SyncStep]] = {}
        for step in steps:
            by_way.setdefault(choose_record_way(step, self._here), []).append(step)
        for step in by_way.get(SyncAction.AGREE, ()):
            self._agreed(step.path, step.here)
        self._drop(by_way.get(SyncAction.DROP, ()))
        return [*self._pull(by_way.get(SyncAction.PULL, ())), *self._push(by_way.get(SyncAction.PUSH, ()))]

    def _pull(self, steps: Sequence[SyncStep]) -> list[str]:
        left: list[str] = []
        for begin in range(0, len(steps), AT_ONCE):
            some = steps[begin : begin + AT_ONCE]
            rows = self._shared.fetch([step.path for step in some])
            whole = {s.path: rows[s.path] for s in some if s.path in rows and _sum(rows[s.path]) == s.there}
            left += [step.path for step in some if step.path not in whole]
            wrong = self._here.take(whole, self._shared.name)
            self.refused |= wrong
            for path, data in whole.items():
                # Also of one that we do not take: it is not asked for again until it changes.
                self._agreed(path, _sum(data))
            self.pulled += [path for path in whole if path not in wrong]
        return left

    def _drop(self, steps: Sequence[SyncStep]) -> None:
        if steps:
            self._here.drop([step.path for step in steps])
        for step in steps:
            self._agreed(step.path, "")

    def _push(self, steps: Sequence[SyncStep]) -> list[str]:
        bodies = self._here.read(step.path for step in steps)
        ready = [step for step in steps if _sum(bodies.get(step.path)) == step.here]
        left = [step.path for step in steps if step not in ready]
        for some in _split_into_batches([Swap(path=s.path, data=bodies[s.path], then=s.there) for s in ready]):
            left += self._put(some)
        return left

    def _put(self, swaps: Sequence[Swap]) -> list[str]:
        """Put some; those that moved meanwhile. Of those that will never be taken, each alone is named."""
        try:
            answers = self._shared.put(swaps)
        except PeerRefused as error:
            if len(swaps) > 1:
                half = len(swaps) // 2
                return [*self._put(swaps[:half]), *self._put(swaps[half:])]
            self.refused[swaps[0].path] = str(error)
            return []
        done = [swap for swap, answer in zip(swaps, answers, strict=True) if not answer]
        for swap in done:
            self._agreed(swap.path, _sum(swap.data))
        self.pushed += [swap.path for swap in done]
        return [swap.path for swap, answer in zip(swaps, answers, strict=True) if answer]

    def _agreed(self, path: str, digest: str) -> None:
        if digest:
            self._base[path] = digest
        else:
            self._base.pop(path, None)


def choose_record_way(step: SyncStep, here: TeamRecords) -> SyncAction | None:
    """What becomes of a record. None: what an owner has stays, and what was removed here stays with the others."""
    own = bool(step.here) and here.is_own(step.path)
    match step.does:
        case SyncAction.AGREE | SyncAction.PUSH:
            return step.does
        case SyncAction.CONFLICT:
            return SyncAction.PUSH if own else SyncAction.PULL
        case SyncAction.PULL | SyncAction.DROP if not own:
            return step.does
        case _:
            return None


def _split_into_batches(swaps: Sequence[Swap]) -> Iterator[list[Swap]]:
    """Swaps in handfuls of a bounded weight."""
    some: list[Swap] = []
    weight = 0
    for swap in swaps:
        if some and (len(some) >= AT_ONCE or weight + len(swap.data or b"") > AT_ONCE_BYTES):
            yield some
            some, weight = [], 0
        some.append(swap)
        weight += len(swap.data or b"")
    if some:
        yield some


def _sum(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
