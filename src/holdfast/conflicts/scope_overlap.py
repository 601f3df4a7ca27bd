"""Where and when two memories hold, and whether both do anywhere at any time."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from holdfast.core.memory import Memory, Status
from holdfast.core.path_scope import ANY_FOLDERS, applies_to
from holdfast.core.relation import Overlap, Reach
from holdfast.core.times import parse_moment

MOST_GLOBS = 64
LONGEST_GLOB = 256
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_WILD = re.compile(r"[*?\[]")
_CLASS = re.compile(r"\[[^\]]*\]")
# A name that no glob spells out.
_ANY = "‡"
_EVER = datetime.max.replace(tzinfo=UTC)
_ENDED = (Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED)


def compare_scopes(new: Memory, old: Memory, now: datetime) -> Overlap:
    """How the places and the times of two memories compare. What was replaced or turned down holds at no time."""
    return Overlap(paths=compare_globs(new.paths, old.paths), time=_meet_in_time(new, old, now))


def compare_globs(new: Sequence[str], old: Sequence[str]) -> Reach:
    """How one set of globs compares with another; none is everywhere."""
    if set(new) == set(old):
        return Reach.SAME
    if not old or (new and _covers(old, new)):
        return Reach.INSIDE
    if not new or _covers(new, old):
        return Reach.AROUND
    met = any(_globs_meet(one, other) for one in _expand_globs(new) for other in _expand_globs(old))
    return Reach.SOME if met else Reach.APART


def _meet_in_time(new: Memory, old: Memory, now: datetime) -> bool:
    if old.status in _ENDED or new.status in _ENDED:
        return False
    # What is not accepted yet holds from now on at the earliest.
    new_begin, new_end = _start_time(new) or now, _end_time(new)
    old_begin, old_end = _start_time(old) or now, _end_time(old)
    return max(new_begin, old_begin, now) < min(new_end, old_end)


def _start_time(memory: Memory) -> datetime | None:
    return parse_moment(memory.valid_from)


def _end_time(memory: Memory) -> datetime:
    return parse_moment(memory.valid_until) or _EVER


def _covers(outer: Sequence[str], inner: Sequence[str]) -> bool:
    """Whether every path of the inner globs is one of the outer's, told by a path that stands for each."""
    return all(applies_to(outer, _example(glob)) for glob in inner[:MOST_GLOBS])


def _example(glob: str) -> str:
    spelled = [part.replace("*", _ANY).replace("?", _ANY) for part in glob.split("/")]
    parts = [f"{_ANY}/{_ANY}" if part == _ANY * 2 else part for part in spelled]
    folder = parts[-1:] and "." not in parts[-1] and "*" not in glob.rpartition("/")[2]
    return "/".join(parts) + (f"/{_ANY}" if folder else "")


def _expand_globs(globs: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Globs as parts, without braces; past a number of them, the rest does not count."""
    waiting, given = [glob[:LONGEST_GLOB] for glob in globs[:MOST_GLOBS]], 0
    while waiting and given < MOST_GLOBS:
        glob = waiting.pop()
        braces = _BRACES.search(glob)
        if braces and len(waiting) < MOST_GLOBS:
            waiting += [glob[: braces.start()] + option + glob[braces.end() :] for option in braces[1].split(",")]
            continue
        given += 1
        parts = [part for part in glob.split("/") if part not in ("", ".")]
        if glob.endswith("/") or not parts or not _WILD.search(parts[-1]):
            parts.append(ANY_FOLDERS)
        yield tuple(parts)


def _globs_meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether some path fits both: row by row, so that no glob can blow it up."""
    return _fits_both(one, other, ANY_FOLDERS, _parts_meet)


@lru_cache(maxsize=2048)
def _parts_meet(one: str, other: str) -> bool:
    if not _WILD.search(one) and not _WILD.search(other):
        return one == other
    # A class of letters is taken for any letter.
    first, second = (tuple(_CLASS.sub("?", part)) for part in (one, other))
    return _fits_both(first, second, "*", lambda a, b: a == b or "?" in (a, b))


def _fits_both(one: Sequence[str], other: Sequence[str], many: str, fits: Callable[[str, str], bool]) -> bool:
    reached = [True, *([False] * len(other))]
    for at, part in enumerate(other, 1):
        reached[at] = reached[at - 1] and part == many
    for mine in one:
        following = [reached[0] and mine == many]
        for at, theirs in enumerate(other, 1):
            skips = (mine == many and reached[at]) or (theirs == many and following[at - 1])
            both = reached[at - 1] and (many in (mine, theirs) or fits(mine, theirs))
            along = (mine == many and following[at - 1]) or (theirs == many and reached[at])
            following.append(bool(skips or both or along))
        reached = following
    return reached[-1]
