"""WordLlama's tokenizer, without the library: a byte-pair encoding whose merges follow from its vocabulary alone.

The library reads 61,000 merges for 55 ms at every start and looks at a text as one long word. Here a pair may merge
when the two together are a token, the lowest id first, which is how the merges are ordered, and words are cut once.
The same ids come out, except that runs of spaces count as one and that `<s>` in a text is text.
"""

import json
import re
from collections.abc import Mapping
from itertools import pairwise

SPACE = "▁"
LONGEST = 48
KEPT = 100_000
NEVER = 1 << 62
_SPACES = re.compile("▁{2,}")
# No token holds a space or a line's end after its first character, so text may be cut there.
_PIECE = re.compile(f"▁?[^▁\n]{{1,{LONGEST}}}|▁|\n")


class PieceTokenizer:
    """Cuts text into token ids."""

    def __init__(self, path: str) -> None:
        self._ids = _vocabulary(path)
        self._bytes = [self._ids[f"<0x{value:02X}>"] for value in range(256)]
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """The ids of a text's tokens."""
        marked = _SPACES.sub(SPACE, SPACE + text.replace(" ", SPACE)) if text else ""
        known, found = self._known, []
        for piece in _PIECE.findall(marked):
            if piece not in known:
                self._learn(piece)
            found += known[piece]
        return found

    def _learn(self, piece: str) -> None:
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[piece] = [one for part in self._merged(piece) for one in self._as_ids(part)]

    def _merged(self, piece: str) -> list[str]:
        """The pair of the lowest id first, of equal ones the first; only its neighbours are looked up again."""
        parts, get = list(piece), self._ids.get
        ranks = [get(left + right, NEVER) for left, right in pairwise(parts)]
        while ranks and (least := min(ranks)) < NEVER:
            place = ranks.index(least)
            whole = parts[place] = parts[place] + parts.pop(place + 1)
            del ranks[place]
            if place:
                ranks[place - 1] = get(parts[place - 1] + whole, NEVER)
            if place < len(ranks):
                ranks[place] = get(whole + parts[place + 1], NEVER)
        return parts

    def _as_ids(self, part: str) -> list[int]:
        found = self._ids.get(part)
        return [self._bytes[byte] for byte in part.encode()] if found is None else [found]


def _vocabulary(path: str) -> Mapping[str, int]:
    with open(path, "rb") as opened:
        held = opened.read()
    # Only this part of the file is read as JSON: the rest is twice as long and says nothing new.
    start = held.index(b"{", held.index(b'"vocab"'))
    end = held.rindex(b"}", start, held.index(b'"merges"', start))
    found: dict[str, int] = json.loads(held[start : end + 1])
    return found
