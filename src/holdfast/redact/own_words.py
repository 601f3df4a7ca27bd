"""What we injected ourselves and clients send back: stripped, so that memory never feeds on itself.

Our fence is `<holdfast …>…</holdfast>`. Claude Code wraps it in `<system-reminder>`, Gemini CLI in `<hook_context>`
with the fence's own brackets as HTML entities; a wrapper goes with the fence it holds and stays when it holds none.
A block may also come cut off, in the middle of its first tag too.
"""

import re
from collections.abc import Iterator

from holdfast.redact.tags import Tag, TagReader

FENCE = "holdfast"
# No space before the name and no bracket inside: what is left around a stripped block can never join to a new fence.
_READER = TagReader(f"{FENCE}|hook_context|system-reminder", space="", inside=r"[^<>\[]")
# Cut off inside the first tag: known by the attribute that our fence begins with, for a person may write a tag too.
_CUT_OFF = re.compile(r"(?:<|&lt;|&\#60;|&\#x3c;|\\+u003c)holdfast\s+note=[^<>\[]{0,1024}\Z", re.IGNORECASE)
_ENDS = re.compile(r"&gt;|&\#62;|&\#x3e;|\\+u003e", re.IGNORECASE)


class _OpenTag:
    """A tag not yet closed, and whether our fence is inside."""

    __slots__ = ("first", "made", "name", "ours")

    def __init__(self, tag: Tag) -> None:
        self.name, self.first, self.ours = tag.name, tag.first, tag.name == FENCE
        # Our fence has an attribute always: a person who names the bare tag has begun no block.
        self.made = self.ours and bool(tag.attributes)


def strip_own_blocks(text: str) -> tuple[str, int]:
    """The text without our blocks, and how many there were."""
    blocks = list(_outermost_blocks(_blocks(text)))
    pieces, done = [], 0
    for first, last in blocks:
        between = " " if first and text[first - 1].strip() and text[last : last + 1].strip() else ""
        pieces += [text[done:first], between]
        done = last
    return ("".join([*pieces, text[done:]]), len(blocks)) if blocks else (text, 0)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    opened: list[_OpenTag] = []
    counts: dict[str, int] = {}
    for tag in _READER.tags(text):
        if not tag.closing and tag.attributes.endswith("/"):
            continue
        if not tag.closing:
            opened.append(_OpenTag(tag))
            counts[tag.name] = counts.get(tag.name, 0) + 1
        elif counts.get(tag.name):
            closed = _close_tag(opened, counts, tag.name)
            if closed.ours:
                yield closed.first, tag.last
    yield from ((each.first, len(text)) for each in opened if each.made)
    cut_off = _CUT_OFF.search(text)
    if cut_off and not _ENDS.search(cut_off[0]):
        yield cut_off.span()


def _close_tag(opened: list[_OpenTag], counts: dict[str, int], name: str) -> _OpenTag:
    """The innermost open tag of a name, taken off with all that was left open inside it."""
    while True:
        last = opened.pop()
        counts[last.name] -= 1
        if last.ours and opened:
            opened[-1].ours = True
        if last.name == name:
            return last


def _outermost_blocks(blocks: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    done = 0
    for first, last in sorted(blocks, key=lambda block: (block[0], -block[1])):
        if first >= done:
            done = last
            yield first, last
