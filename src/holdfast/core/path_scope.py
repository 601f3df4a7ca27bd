"""Where a memory applies: globs over paths, matched in time that no glob can blow up."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

ANY_FOLDERS = "**"
LONGEST_GLOB = 512
MOST_ALTERNATIVES = 32

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_TOKEN = re.compile(r"\[(!?)(\]?[^\]]*)\]|(.)", re.DOTALL)
_MEMBERS = re.compile("(.)-(.)|(.)", re.DOTALL)
_WILD = re.compile(r"[*?\[]")

Fits = Callable[[str], bool]
Pattern = tuple[Fits | None, ...]  # None: any number of things, whatever they are


def applies_to(paths: Sequence[str], path: str) -> bool:
    """Whether a memory with these globs speaks of this path. Without globs it applies everywhere."""
    if not paths:
        return True
    parts = _parts(path)
    return any(_matches(pattern, parts) for glob in paths for pattern in _patterns(glob))


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]


@lru_cache(maxsize=4096)
def _patterns(glob: str) -> tuple[Pattern, ...]:
    if len(glob) > LONGEST_GLOB:
        return ()
    return tuple(tuple(map(_part, _split_glob(each))) for each in _expand_braces(glob))


def _expand_braces(glob: str) -> Iterator[str]:
    """`*.{ts,tsx}` as the globs it stands for; past a number of them, braces are taken as they are."""
    waiting, done = [glob], 0
    while waiting:
        each = waiting.pop()
        braces = _BRACES.search(each)
        if braces is None or done + len(waiting) >= MOST_ALTERNATIVES:
            done += 1
            yield each
        else:
            options = braces[1].split(",", MOST_ALTERNATIVES)
            waiting += [each[: braces.start()] + option + each[braces.end() :] for option in options]


def _split_glob(glob: str) -> list[str]:
    """The parts of a glob. One that names a folder means everything below it."""
    parts = _parts(glob)
    if glob.endswith("/") or not parts or not _WILD.search(parts[-1]):
        parts.append(ANY_FOLDERS)
    return parts


def _part(part: str) -> Fits | None:
    if part == ANY_FOLDERS:
        return None
    if not _WILD.search(part):
        return part.__eq__
    letters = tuple(_letter(token) for token in _TOKEN.finditer(part))
    return lambda name: _matches(letters, name)


def _letter(token: re.Match[str]) -> Fits | None:
    negated, members, plain = token.groups()
    if plain is None:
        return _one_of(members, negated=bool(negated))
    if plain == "*":
        return None
    return plain.__eq__ if plain != "?" else bool


def _one_of(members: str, *, negated: bool) -> Fits:
    spans = [(first or single, last or single) for first, last, single in _MEMBERS.findall(members)]
    return lambda letter: any(first <= letter <= last for first, last in spans) is not negated


def _matches(pattern: Pattern, things: Sequence[str]) -> bool:
    """Match without backtracking further than the last star: at most len(pattern) × len(things) steps."""
    at = thing = 0
    star, held = -1, 0
    while thing < len(things):
        fits = pattern[at] if at < len(pattern) else _match_nothing
        if fits is None:
            star, held = at, thing
            at += 1
        elif fits(things[thing]):
            at, thing = at + 1, thing + 1
        elif star >= 0:
            held += 1
            at, thing = star + 1, held
        else:
            return False
    return all(each is None for each in pattern[at:])


def _match_nothing(_: str) -> bool:
    return False
