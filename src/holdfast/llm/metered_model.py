"""A model with a budget and a ledger: asked for before each request, noted after it."""

import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing

from holdfast.core.errors import HoldfastError
from holdfast.core.model import Ask, Delta, Done, Reply, Usage
from holdfast.core.model_port import Model, Traits
from holdfast.core.value import Value, replace
from holdfast.llm import model_errors
from holdfast.llm.cost_ledger import ANSWERED, FAILED, CostEntry, CostLedger
from holdfast.llm.prices import TokenPrice, token_cost
from holdfast.system.http_errors import one_line

BYTES_PER_TOKEN = 3
CENTS = 100


class Budget(Value):
    """The most that may be spent; 0 is no limit. Cents are of the US dollar."""

    session_tokens: int = 0
    day_tokens: int = 0
    session_cents: int = 0
    day_cents: int = 0


class MeteredModel:
    """A model whose every request stands in the ledger. What was reserved and never settled counts in full."""

    def __init__(
        self, inner: Model, ledger: CostLedger, budget: Budget, price: TokenPrice | None, today: Callable[[], str]
    ) -> None:
        self._inner, self._ledger, self._budget, self._price, self._today = inner, ledger, budget, price, today

    @property
    def name(self) -> str:
        """The inner model's."""
        return self._inner.name

    @property
    def traits(self) -> Traits:
        """The inner model's."""
        return self._inner.traits

    def complete(self, ask: Ask) -> Reply:
        """The reply, paid for."""
        held, begun = self._reserved(ask), time.monotonic()
        try:
            reply = self._inner.complete(ask)
        except HoldfastError as error:
            self._failed(held, error, begun)
            raise
        self._answered(held, reply, begun)
        return reply

    async def stream(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """The reply in pieces, paid for. One that is given up costs what was reserved: the vendor counts it too."""
        held, begun = self._reserved(ask), time.monotonic()
        try:
            async with aclosing(self._inner.stream(ask)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, Done):
                        self._answered(held, delta.reply, begun)
                    yield delta
        except HoldfastError as error:
            self._failed(held, error, begun)
            raise

    def _reserved(self, ask: Ask) -> CostEntry:
        usage = Usage(input=estimate_tokens(ask), output=ask.most_tokens)
        most = 0.0 if self.traits.free else token_cost(self._price, usage)
        wanted = CostEntry(
            id="", ts="", outcome="", model=self.name, purpose=ask.purpose, session=ask.session, usage=usage, cost=most
        )
        return self._ledger.reserve(wanted, lambda known: self._check(wanted, known))

    def _check(self, wanted: CostEntry, known: Iterable[CostEntry]) -> None:
        before = list(known)
        today = self._today()
        spans: Mapping[str, list[CostEntry]] = {
            "session": [each for each in before if wanted.session and each.session == wanted.session],
            "day": [each for each in before if each.ts[:10] == today],
        }
        words = {"session": "this session", "day": "today"}
        for span, spent in spans.items():
            tokens, most = sum(each.tokens for each in spent), getattr(self._budget, f"{span}_tokens")
            if most and tokens + wanted.tokens > most:
                raise model_errors.BudgetSpent(
                    words[span], f"{tokens} tokens spent, {wanted.tokens} wanted", str(most), f"model_{span}_tokens"
                )
            cents, most = sum(each.cost or 0.0 for each in spent) * CENTS, getattr(self._budget, f"{span}_cents")
            if most and cents + (wanted.cost or 0.0) * CENTS > most:
                asked = f"{cents:.2f} cents spent, up to {(wanted.cost or 0.0) * CENTS:.2f} wanted"
                raise model_errors.BudgetSpent(words[span], asked, str(most), f"model_{span}_cents")

    def _answered(self, held: CostEntry, reply: Reply, begun: float) -> None:
        spent = reply.cost
        # A server that does not count: what was reserved is the best guess.
        usage = reply.usage if reply.usage.input or reply.usage.output else held.usage
        self._ledger.settle(replace(held, outcome=ANSWERED, usage=usage, cost=spent, seconds=time.monotonic() - begun))

    def _failed(self, held: CostEntry, error: HoldfastError, begun: float) -> None:
        self._ledger.settle(
            replace(
                held, outcome=FAILED, usage=Usage(), cost=0.0, seconds=time.monotonic() - begun,
                error=one_line(str(error)),
            )
        )  # fmt: skip


def estimate_tokens(ask: Ask) -> int:
    """How many tokens a request has at most, by its bytes."""
    texts = [ask.system, *(f"{tool.schema}{tool.description}" for tool in ask.tools)]
    for message in ask.messages:
        texts += [message.text, *(result.text for result in message.results)]
        texts += [str(call.arguments) for call in message.calls]
    return sum(len(text.encode("utf-8", "replace")) for text in texts) // BYTES_PER_TOKEN + 1
