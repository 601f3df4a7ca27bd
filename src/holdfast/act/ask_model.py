"""One request to a model from the loop: in pieces, so that cancelling ends it, and within a time."""

import asyncio
from contextlib import aclosing

from holdfast.core.errors import Unavailable
from holdfast.core.model import Ask, Done, Reply, Usage
from holdfast.core.model_port import Model


class Stalled(Unavailable):
    """A model that stopped speaking."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(f"Model {name!r} said nothing for {seconds:g} s.", "try again, or another model: --model.")


class CutShort(Unavailable):
    """A reply that never ended."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Model {name!r} broke off in the middle of a reply.", "try again, or another model: --model.")


async def ask_model(model: Model, ask: Ask, silence: float = 120.0) -> Reply:
    """The whole reply. Raises Stalled where no piece comes for so many seconds."""
    async with aclosing(model.stream(ask)) as pieces:
        while True:
            try:
                piece = await asyncio.wait_for(anext(pieces), silence)
            except StopAsyncIteration:
                raise CutShort(model.name) from None
            except TimeoutError:
                raise Stalled(model.name, silence) from None
            if isinstance(piece, Done):
                return piece.reply


def add_usage(one: Usage, other: Usage) -> Usage:
    """The tokens of two replies."""
    return Usage(
        input=one.input + other.input,
        output=one.output + other.output,
        cached=one.cached + other.cached,
        written=one.written + other.written,
    )
