"""What tokens cost, in US dollars per million, as the vendors listed it; the user may say otherwise."""

import re
from collections.abc import Mapping

from holdfast.core.model import Usage
from holdfast.core.value import Value

LISTED = "2026-11"
MILLION = 1_000_000
# A cache that has to be written costs more than plain input, with Anthropic.
WRITING = 1.25


class TokenPrice(Value):
    """US dollars per million tokens."""

    input: float
    output: float
    cached: float


def _price(given: float, output: float, cached: float) -> TokenPrice:
    return TokenPrice(input=given, output=output, cached=cached)


PRICES: Mapping[str, TokenPrice] = {
    "claude-fable-5-1": _price(10, 50, 0.25),
    "claude-fable-5": _price(10, 50, 1),
    "claude-opus-5": _price(5, 25, 0.5),
    "claude-opus-4-8": _price(5, 25, 0.5),
    "claude-opus-4-7": _price(5, 25, 0.5),
    "claude-opus-4-6": _price(5, 25, 0.5),
    "claude-opus-4-5": _price(5, 25, 0.5),
    "claude-opus-4-1": _price(15, 75, 1.5),
    "claude-sonnet-5": _price(2, 10, 0.2),
    "claude-sonnet-4-6": _price(3, 15, 0.3),
    "claude-sonnet-4-5": _price(3, 15, 0.3),
    "claude-sonnet-4": _price(3, 15, 0.3),
    "claude-haiku-4-5": _price(1, 5, 0.1),
    "claude-3-5-haiku": _price(0.8, 4, 0.08),
    "gpt-5.6-sol": _price(4, 20, 0.4),
    "gpt-5.6-terra": _price(2, 12, 0.2),
    "gpt-5.6-luna": _price(0.2, 1.2, 0.02),
    "gpt-5.5": _price(5, 30, 0.5),
    "gpt-5.4": _price(2.5, 15, 0.25),
    "gpt-5.4-mini": _price(0.75, 4.5, 0.075),
    "gpt-5.4-nano": _price(0.2, 1.25, 0.02),
    "gpt-5.2": _price(1.75, 14, 0.175),
    "gpt-5.1": _price(1.25, 10, 0.125),
    "gpt-5": _price(1.25, 10, 0.125),
    "gpt-5-mini": _price(0.25, 2, 0.025),
    "gpt-5-nano": _price(0.05, 0.4, 0.005),
    "gpt-4.1": _price(2, 8, 0.5),
    "gpt-4.1-mini": _price(0.4, 1.6, 0.1),
    "gpt-4o": _price(2.5, 10, 1.25),
    "gpt-4o-mini": _price(0.15, 0.6, 0.075),
    "gemini-2.5-pro": _price(1.25, 10, 0.31),
    "gemini-2.5-flash": _price(0.3, 2.5, 0.075),
    "gemini-2.5-flash-lite": _price(0.1, 0.4, 0.025),
}
_SUFFIX = re.compile(r"(-\d{4}-?\d{2}-?\d{2}|-latest)?")
_FORM = re.compile(r"\d{1,6}(\.\d{1,6})?(/\d{1,6}(\.\d{1,6})?){1,2}")


def price_of(model: str, said: str = "") -> TokenPrice | None:
    """The price that the user said (`3/15`, or `3/0.3/15` with cached input between), or the one we know."""
    if said:
        return _parse_price(said)
    return next((price for name, price in PRICES.items() if _is_release_of(model, name)), None)


def is_price(said: str) -> bool:
    """Whether a text has the form of a price."""
    return _FORM.fullmatch(said) is not None


def token_cost(price: TokenPrice | None, usage: Usage) -> float | None:
    """What this many tokens cost; None where no price is known."""
    if price is None:
        return None
    fresh = max(0, usage.input - usage.cached - usage.written)
    spent = fresh * price.input + usage.written * price.input * WRITING
    return (spent + usage.cached * price.cached + usage.output * price.output) / MILLION


def _parse_price(said: str) -> TokenPrice | None:
    if not is_price(said):
        return None
    given, *cached, output = (float(part) for part in said.split("/"))
    return TokenPrice(input=given, output=output, cached=cached[0] if cached else given)


def _is_release_of(model: str, name: str) -> bool:
    """A dated release costs what its name does; another name that merely begins the same does not."""
    return model.startswith(name) and _SUFFIX.fullmatch(model[len(name) :]) is not None
