"""What becomes of a text that came, beside the one that stands: the same in whatever order bundles come."""

import json
from collections.abc import Collection
from hashlib import sha256

from holdfast.core.ids import encode
from holdfast.core.memory import CANDIDATE_PREFIX, Memory
from holdfast.core.memory_json import to_json
from holdfast.core.times import parse_moment
from holdfast.core.value import Value

NEW, KNOWN, FORWARD, NEWER, CANDIDATE = "new", "known", "forward", "newer", "candidate"
SUM_LENGTH = 32
ID_LENGTH = 10
OWN, FOREIGN = "own", "foreign"


class TextVersion(Value):
    """A memory's words as far as two of them are compared: their sum, and when they were last changed."""

    sum: str
    updated: str = ""

    @property
    def rank(self) -> tuple[float, str]:
        """Of two, the one with the greater rank stands."""
        when = parse_moment(self.updated)
        return when.timestamp() if when else 0.0, self.sum


def read_text_version(memory: Memory) -> TextVersion:
    """What a memory says, whatever its file looks like."""
    said = json.dumps(to_json(memory), sort_keys=True, ensure_ascii=True, default=str)
    return TextVersion(sum=sha256(said.encode()).hexdigest()[:SUM_LENGTH], updated=memory.updated)


def settle(
    came: TextVersion,
    local: TextVersion | None,
    *,
    brought: bool,
    stood_here: Collection[str],
    stood_there: Collection[str],
) -> str:
    """What becomes of a text that came. `brought`: an import wrote the local one, and nobody changed it since.

    NEW: it is written. KNOWN: nothing. FORWARD: it takes the place of an older text of its own. NEWER: it takes the
    place, and the other becomes a candidate. CANDIDATE: the local one stays, and what came becomes a candidate.
    """
    if local is None:
        return NEW
    if came.sum == local.sum or came.sum in stood_here:
        return KNOWN
    if not brought:
        return CANDIDATE
    if local.sum in stood_there:
        return FORWARD
    return NEWER if came.rank > local.rank else CANDIDATE


def candidate_name(whose: str, memory_id: str, text_sum: str) -> str:
    """The id of the candidate that a text becomes: the same wherever and whenever it comes."""
    held = sha256(f"{whose}\n{memory_id}\n{text_sum}".encode()).digest()
    return f"{CANDIDATE_PREFIX}-{encode(int.from_bytes(held[:8], 'big'), ID_LENGTH)}"
