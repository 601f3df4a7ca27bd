"""A person before the screen, in a test: keys are pressed, and what is to be seen is text."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot

from holdfast.tui.review_app import ReviewApp
from holdfast.workspace import App

PATIENCE = 20.0


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
        await self.until(lambda: not self._at_work())
        await self._pilot.pause()

    async def until(self, true: Callable[[], bool]) -> None:
        end = asyncio.get_running_loop().time() + PATIENCE
        while True:
            await self._pilot.pause()
            if true():
                return
            assert asyncio.get_running_loop().time() < end, f"this did not come to be; the screen:\n{self.text}"
            await asyncio.sleep(0.01)

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
