"""Proposed memories, waiting for a person."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.memory import Entry, Memory


class Candidates(Protocol):
    """What was proposed: waiting, or rejected and remembered so that it is not proposed again."""

    def add(self, memory: Memory) -> Entry:
        """Keep a candidate; durable on return."""

    def all(self) -> Sequence[Entry]:
        """Waiting and rejected ones, by id."""

    def find(self, candidate_id: str) -> Entry | None:
        """One candidate, or None."""

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change a candidate. Raises Conflict if it moved."""

    def remove(self, entry: Entry) -> str:
        """Take a candidate away (it was accepted or forgotten); its text."""
