"""A language model: what is asked of it, whoever runs it."""

from collections.abc import AsyncGenerator
from typing import Protocol

from holdfast.core.model import Ask, Delta, Reply
from holdfast.core.value import Value


class Traits(Value):
    """Where models differ. `free`: its tokens cost nothing; `tools`: it takes tools."""

    free: bool = False
    tools: bool = True


class Model(Protocol):
    """One model. Raises a `HoldfastError` that says what to do when it gives no answer; no key stands in it."""

    @property
    def name(self) -> str:
        """Who answers, as the user names it: `anthropic:claude-…`. Stands in ledger, cache and lineage."""

    @property
    def traits(self) -> Traits:
        """Where it differs from others."""

    def complete(self, ask: Ask) -> Reply:
        """The whole reply. Where a shape is asked for, its text is meant to be that JSON; the caller checks it."""

    def stream(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """The reply in pieces, `Done` last. Closing the iterator ends the request."""


class NoModel(Value):
    """Why there is no model, and what to type. `wanted` is false where none is set: no notice then."""

    reason: str
    hint: str = ""
    wanted: bool = True
