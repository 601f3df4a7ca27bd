"""The gate for bulk work: the same answers, with a memory of what was asked before.

Harvest reads gigabytes in one process, and agents read the same files, paths and names over and over: of a hundred
long runs of characters nine in ten were looked at before. Those in which no rule could match are passed over.
"""

from collections.abc import Callable
from functools import cache

from holdfast.redact import gate
from holdfast.redact.secret_rules import BLOCK, NAMED, RUN, SecretRule

# As many runs are known at a time, none longer than this: 30 MB at most.
MOST_KNOWN = 200_000
LONGEST_KNOWN = 120


@cache
def bulk_suspects() -> Callable[[str], tuple[SecretRule, ...]]:
    """What `clean` shall ask in a process that reads much."""
    return _BulkGate().suspects


class _BulkGate:
    """The gate, which knows the runs that hold nothing: whether a rule may match in one does not hang on the others."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def suspects(self, text: str) -> tuple[SecretRule, ...]:
        """The rules worth trying on a text, as `gate.suspects` gives them."""
        raw = gate.to_ascii_bytes(text)
        low = raw.lower()
        found = self._find_in_runs(raw) + gate.find_place_rules(raw, low)
        if gate.BLOCK_MARK in raw:
            found.append(BLOCK)
        if gate.names_a_secret(raw, low) or gate.speaks_a_secret(text, raw):
            found.append(NAMED)
        return tuple(dict.fromkeys(found))

    def _find_in_runs(self, raw: bytes) -> list[SecretRule]:
        new = list(set(gate.split_solid(raw, RUN)).difference(self._known))
        if not new:
            return []
        # A run of token characters is part of one run without a space.
        found = gate.find_token_rules(gate.split_runs(b" ".join(new)))
        found += gate.find_solid_rules([run for run in new if len(run) >= gate.SOLID])
        if not found:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known.update([run for run in new if len(run) <= LONGEST_KNOWN])
        return found
