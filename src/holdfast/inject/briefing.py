"""What a session is told when it begins or has lost its context: parts with a heading each, fitted into one room."""

from collections.abc import Iterable, Sequence

from holdfast.core.fence import make_inert
from holdfast.core.value import Value, replace

LONGEST_LINE = 400


class BriefingPart(Value):
    """A heading and its lines. `last`: when there is no room for all, the last lines are kept, not the first."""

    heading: str
    lines: tuple[str, ...]
    last: bool = False
    more: str = ""


def split_page_lines(text: str) -> tuple[str, ...]:
    """The lines of a page of people's own, without blank ones."""
    return tuple(line.rstrip()[:LONGEST_LINE] for line in text.splitlines() if line.strip())


def quote_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines of a page, each marked as quoted: none of them can pass for a heading of ours."""
    return tuple(f"> {line}" for line in lines)


def fit_parts(parts: Iterable[BriefingPart], room: int) -> str:
    """The parts in their order, in so many characters, by whole lines: each first gets its share, then what is left."""
    there = [replace(part, lines=tuple(map(make_inert, part.lines))) for part in parts if part.lines]
    # Between two parts stands an empty line.
    share = (room - 2 * (len(there) - 1)) // max(1, len(there))
    texts = [_cut(part, share) for part in there]
    for at, part in enumerate(there):
        left = room - sum(len(text) + 2 for other, text in enumerate(texts) if text and other != at)
        if left > len(texts[at]):
            texts[at] = _cut(part, left)
    return "\n\n".join(filter(None, texts))


def _cut(part: BriefingPart, room: int) -> str:
    """A part in so many characters: nothing when not even one line fits."""
    whole = "\n".join([part.heading, *part.lines])
    if len(whole) <= room:
        return whole
    kept = _choose_lines(part, room - len(part.heading) - len(part.more) - 2)
    shown = [*kept, part.more] if part.more else kept
    return "\n".join([part.heading, *shown]) if kept else ""


def _choose_lines(part: BriefingPart, room: int) -> Sequence[str]:
    kept: list[str] = []
    for line in reversed(part.lines) if part.last else part.lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept[::-1] if part.last else kept
