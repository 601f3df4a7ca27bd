"""What to do about a contradiction: each way is a plan of changes, made before anything is written."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.conflicts.relate import KEPT_BOTH
from holdfast.core.errors import BadRequest, Conflict
from holdfast.core.memory import Memory
from holdfast.core.relation import Change, Relation, Resolution, Rewrite, TurnDown
from holdfast.core.search import Supersession
from holdfast.core.value import Value, replace

DATE_LENGTH = len("2026-11-15")


class ReasonMissing(BadRequest):
    """Two that contradict each other are kept without a reason."""

    def __init__(self, new: str, old: str) -> None:
        super().__init__(
            f"{new!r} and {old!r} contradict each other: keeping both needs a reason.", "say why both hold."
        )


class PathsMissing(BadRequest):
    """Narrowed to nothing, or to what it had."""

    def __init__(self, new: str) -> None:
        super().__init__(
            f"{new!r} is not narrowed: no paths, or the ones it has.", "name the paths where it shall hold, as globs."
        )


class PathOutside(BadRequest):
    """A glob that no file of the workspace fits."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is not inside the workspace.", "name paths relative to it, as globs: src/ui/**")


class WouldCycle(Conflict):
    """A chain of supersession that would bite its own tail."""

    def __init__(self, new: str, old: str) -> None:
        super().__init__(
            f"{new!r} cannot supersede {old!r}: it would come to supersede itself.",
            f"look at both: holdfast show {new} {old}",
        )


class NotThePair(BadRequest):
    """A relation of other memories."""

    def __init__(self, relation: Relation, new: str, old: str) -> None:
        super().__init__(
            f"The relation is of {relation.new!r} and {relation.old!r}, not of {new!r} and {old!r}.",
            "look again: holdfast check --memories",
        )


class NoSuchWay(BadRequest):
    """A way to resolve that there is not."""

    def __init__(self, choice: str) -> None:
        super().__init__(f"There is no way {choice!r} to resolve a conflict.", f"the ways are {', '.join(Resolution)}.")


class ResolveRequest(Value):
    """How a person resolves: the way, and what it needs (a reason to keep both, paths to narrow to)."""

    choice: str
    because: str = ""
    paths: tuple[str, ...] = ()


def plan_resolution(
    new: Memory, old: Memory, relation: Relation, answer: ResolveRequest, now: str, links: Iterable[Supersession] = ()
) -> tuple[Change, ...]:
    """The changes that a way of resolving makes, in the order to write them: what comes before what goes."""
    if (relation.new, relation.old) != (new.id, old.id):
        raise NotThePair(relation, new.id, old.id)
    if answer.choice not in set(Resolution):
        raise NoSuchWay(answer.choice)
    because = answer.because.strip()
    match Resolution(answer.choice):
        case Resolution.KEEP_OLD:
            return (TurnDown(memory=new, because=because or f"{old.id} stays: {relation.reason}"),)
        case Resolution.SUPERSEDE:
            return _supersede(new, old, now, links)
        case Resolution.NARROW:
            return _narrow(new, old, answer.paths, because, now)
        case Resolution.KEEP_BOTH:
            return _keep_both(new, old, because, now)


def would_cycle(new: str, old: str, links: Iterable[Supersession]) -> bool:
    """Whether `new` superseding `old` would close a circle."""
    replaced: dict[str, list[str]] = {}
    for link in links:
        replaced.setdefault(link.new, []).append(link.old)
    seen: set[str] = set()
    waiting = [old]
    while waiting:
        each = waiting.pop()
        if each == new:
            return True
        if each not in seen:
            seen.add(each)
            waiting += replaced.get(each, ())
    return False


def _supersede(new: Memory, old: Memory, now: str, links: Iterable[Supersession]) -> tuple[Change, ...]:
    if would_cycle(new.id, old.id, links) or new.id in old.supersedes:
        raise WouldCycle(new.id, old.id)
    named = new.supersedes if old.id in new.supersedes else (*new.supersedes, old.id)
    begins = new.valid_from or now[:DATE_LENGTH]
    ended = replace(old, valid_until=min(filter(None, (old.valid_until, begins))), updated=now)
    return Rewrite(memory=replace(new, supersedes=named, valid_from=begins, updated=now)), Rewrite(memory=ended)


def narrow_to_paths(new: Memory, paths: Sequence[str], now: str) -> Memory:
    """The same at some paths of the workspace only."""
    wanted = tuple(dict.fromkeys(path.strip() for path in paths if path.strip()))
    if not wanted or wanted == new.paths:
        raise PathsMissing(new.id)
    for path in wanted:
        if path.startswith(("/", "~")) or ".." in path.split("/"):
            raise PathOutside(path)
    return replace(new, paths=wanted, updated=now)


def _narrow(new: Memory, old: Memory, paths: Sequence[str], because: str, now: str) -> tuple[Change, ...]:
    made = narrow_to_paths(new, paths, now)
    # Where the old one holds everywhere, the new one is its exception: said so, the pair is settled.
    return (Rewrite(memory=mark_kept_beside(made, old, because or f"it holds at {', '.join(made.paths)} only")),)


def _keep_both(new: Memory, old: Memory, because: str, now: str) -> tuple[Change, ...]:
    if not because:
        raise ReasonMissing(new.id, old.id)
    return (Rewrite(memory=replace(mark_kept_beside(new, old, because), updated=now)),)


def mark_kept_beside(new: Memory, old: Memory, because: str) -> Memory:
    """The new one, saying that it holds beside the old one, and why: the pair is settled."""
    kept = new.extra.get(KEPT_BOTH)
    others = (
        [row for row in kept if isinstance(row, Mapping) and row.get("id") != old.id]
        if isinstance(kept, list | tuple)
        else []
    )
    extra = {**new.extra, KEPT_BOTH: [*others, {"id": old.id, "because": because}]}
    return replace(new, extra=extra)
