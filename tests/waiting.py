"""Waiting for what another process or thread does: until it is seen, never for a time that should be enough."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# Only what is broken takes so long, also on a machine with much else to do.
LONG = 180.0
# What is given up, cancelled or refused at once, on such a machine; what goes on instead takes LONG or more.
SOON = 60.0
PAUSE = 0.02


def wait_for(condition: Callable[[], T], what: str, *, limit: float = LONG, pause: float = PAUSE) -> T:
    """What a condition gives, once that counts as true: `wait_for(path.exists, "the file")`."""
    end = time.monotonic() + limit
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {limit:.0f} s for {what}, and it did not come"
        time.sleep(pause)
    return found


async def waiting_for(condition: Callable[[], T], what: str, *, limit: float = LONG, pause: float = PAUSE) -> T:
    """The same beside a loop that goes on."""
    end = time.monotonic() + limit
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {limit:.0f} s for {what}, and it did not come"
        await asyncio.sleep(pause)
    return found
