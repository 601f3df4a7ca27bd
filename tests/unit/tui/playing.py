"""A person before the screen, in a test: keys are pressed, and what is to be seen is text."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.waiting import LONG
from textual.pilot import Pilot

from holdfast.tui.review_app import ReviewApp
from holdfast.workspace import App

# A message leads to another one, from a key to a widget to a screen: so often has nothing to be waiting.
CALM = 4


class Player:
    """Presses keys and waits until the screen has answered."""

    def __init__(self, review: ReviewApp, pilot: Pilot[None]) -> None:
        self.review, self._pilot = review, pilot

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self._pilot.press(key)
            await self.settle()

    async def type(self, words: str) -> None:
        await self._pilot.press(*("space" if key == " " else key for key in words))
        await self.settle()

    async def settle(self) -> None:
        """Wait until nothing is being done, or something is asked."""
        calm = 0
        end = asyncio.get_running_loop().time() + LONG
        while calm < CALM:
            at_work = self._at_work()
            # A pause by the processor's rest would take a process that gets none for one that is done.
            await self._pilot.pause(0.01 if at_work else 0)
            calm = 0 if at_work or self._has_post() else calm + 1
            assert asyncio.get_running_loop().time() < end, f"it does not come to rest; the screen:\n{self.text}"

    async def until(self, true: Callable[[], bool]) -> None:
        end = asyncio.get_running_loop().time() + LONG
        while not true():
            assert asyncio.get_running_loop().time() < end, f"this did not come to be; the screen:\n{self.text}"
            await self._pilot.pause(0.01)
        await self.settle()

    def _has_post(self) -> bool:
        pumps = [self.review, *(each for screen in self.review.screen_stack for each in screen.walk_children())]
        return any(each.message_queue_size for each in (*pumps, *self.review.screen_stack))

    def _at_work(self) -> bool:
        asking = len(self.review.screen_stack) > 1
        return any(not each.is_finished and not (asking and each.group == "act") for each in self.review.workers)

    @property
    def text(self) -> str:
        """The screen, as a terminal shows it."""
        strips = self.review.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips) + "\n"

    @property
    def rows(self) -> list[str]:
        """The keys of the queue."""
        return [item.key for item in self.review.queue.items]

    @property
    def current(self) -> str:
        item = self.review.queue.current
        return item.key if item else ""

    @property
    def said(self) -> str:
        """The line above the keys."""
        return " ".join(str(self.review.screen_stack[0].query_one("#said").render()).split())

    @property
    def focus(self) -> str:
        return str(self.review.focused.id) if self.review.focused else ""


def play(
    app: App,
    script: Callable[[Player], Awaitable[Any]],
    *,
    size: tuple[int, int] = (80, 24),
    editor: Callable[[App, str], str] = lambda _, text: text,
) -> None:
    """Have a person do something before the screen."""

    async def run() -> None:
        review = ReviewApp(app, editor)
        async with review.run_test(size=size) as pilot:
            player = Player(review, pilot)
            await player.settle()
            await script(player)

    asyncio.run(run())
