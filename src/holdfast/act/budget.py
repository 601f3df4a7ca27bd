"""How much a run may take: tokens, money, time, attempts. It shrinks where nothing moves and grows where work does."""

import time
from collections.abc import Callable

from holdfast.core.model import Usage

GROWTH, SHRINKING = 1.25, 0.5
MOST_GROWTH = 2.0


class AdaptiveBudget:
    """What is left. A limit of 0 is none."""

    def __init__(
        self, tokens: int = 400_000, cents: float = 0.0, seconds: float = 1800.0, attempts: int = 6,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.tokens, self.cents, self.seconds, self.attempts = tokens, cents, seconds, float(attempts)
        self._most_attempts = attempts * MOST_GROWTH
        self._clock = clock
        self._begun = clock()
        self.spent_tokens = 0
        self.spent_cents = 0.0
        self.tried = 0

    def spend(self, usage: Usage, cost: float | None) -> None:
        """Count a reply."""
        self.spent_tokens += usage.input + usage.output
        self.spent_cents += 100 * (cost or 0.0)

    def attempt(self) -> None:
        """Count an attempt to fix."""
        self.tried += 1

    def progressed(self, moved: bool) -> None:
        """Fewer errors than before earn more attempts; the same ones again cost some."""
        changed = self.attempts * (GROWTH if moved else SHRINKING)
        self.attempts = min(self._most_attempts, max(float(self.tried), changed))

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return self._clock() - self._begun

    @property
    def spent(self) -> str:
        """What is used up, in words; empty while there is some of everything."""
        if self.tokens and self.spent_tokens >= self.tokens:
            return f"{self.tokens} tokens are spent"
        if self.cents and self.spent_cents >= self.cents:
            return f"{self.cents:g} cents are spent"
        if self.seconds and self.elapsed >= self.seconds:
            return f"{self.seconds:g} seconds are over"
        return f"{self.tried} attempts were made" if self.tried >= self.attempts else ""

    def form(self) -> dict[str, float | int]:
        """The budget as events carry it."""
        return {
            "tokens": self.tokens, "spent_tokens": self.spent_tokens, "cents": self.cents,
            "spent_cents": round(self.spent_cents, 4), "seconds": self.seconds, "elapsed": round(self.elapsed, 3),
            "attempts": round(self.attempts, 2), "tried": self.tried,
        }  # fmt: skip
