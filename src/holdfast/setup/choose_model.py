"""Which model is set, which could be, and whether it answers."""

import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from holdfast.core.errors import BadRequest, HoldfastError
from holdfast.core.model import Ask, Message, Role
from holdfast.core.model_port import NoModel
from holdfast.core.value import Value
from holdfast.llm.app_model import build_own_environment, open_bare_model, open_paid_model
from holdfast.llm.client_model import PROGRAMS, find_program
from holdfast.llm.open_model import ALIASES, VENDORS, find_address
from holdfast.llm.prices import LISTED, PRICES, TokenPrice, price_of
from holdfast.llm.wire import ModelTimeouts, ModelWire
from holdfast.workspace import App

__all__ = ["LISTED", "PRICES", "ModelListing", "ModelTestResult", "list_models", "try_model"]

SECONDS_TO_LOOK = 1.0
MOST_NAMES = 20
KINDS = ("anthropic", "openai", "gemini", "ollama", *PROGRAMS)
TINY = Ask(
    messages=(Message(role=Role.USER, text="Say only: ready"),),
    system="You are asked whether you can be reached. Answer with one word.",
    most_tokens=512,
    purpose="test",
)


class NoModelToTest(BadRequest):
    """There is no model to ask."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"{reason[:1].upper()}{reason[1:]}.", hint)


class ModelChoice(Value):
    """A model that could be set: its form, whether all it needs is there, and what is known of it."""

    model: str
    ready: bool
    why: str
    names: tuple[str, ...] = ()


class ModelListing(Value):
    """What is set, and what could be. `trouble` says why what is set cannot be asked."""

    model: str
    address: str = ""
    key: str = ""
    price: TokenPrice | None = None
    free: bool = False
    trouble: str = ""
    hint: str = ""
    choices: tuple[ModelChoice, ...] = ()


class ModelTestResult(Value):
    """One small request and what it took."""

    model: str
    answered_by: str
    text: str
    seconds: float
    input: int
    output: int
    cached: int
    cost: float | None


def list_models(app: App) -> ModelListing:
    """What is set, and what could be here. Only this machine is asked."""
    said = str(app.settings["model"]).strip()
    found = open_bare_model(app)
    kind, _, rest = ALIASES.get(said, said).partition(":")
    where = find_address(kind, app.settings, app.home, build_own_environment()) if kind in VENDORS else None
    bad = isinstance(found, NoModel)
    return ModelListing(
        model="" if said == "none" else said,
        address=where.url if where else "",
        key=where.key.place if where else "",
        price=price_of(rest, str(app.settings["model_price"]).strip()),
        free=not isinstance(found, NoModel) and found.traits.free,
        trouble=found.reason if isinstance(found, NoModel) and found.wanted else "",
        hint=found.hint if bad and isinstance(found, NoModel) else "",
        choices=tuple(list_choices(app)),
    )


def try_model(app: App) -> ModelTestResult:
    """One small request, within the budget. Raises what is in the way."""
    model = open_paid_model(app)
    if isinstance(model, NoModel):
        raise NoModelToTest(model.reason, model.hint)
    begun = time.monotonic()
    reply = model.complete(TINY)
    usage = reply.usage
    return ModelTestResult(
        model=model.name,
        answered_by=reply.model,
        text=reply.text,
        seconds=round(time.monotonic() - begun, 3),
        input=usage.input,
        output=usage.output,
        cached=usage.cached,
        cost=reply.cost,
    )


def list_choices(app: App, kinds: Sequence[str] = KINDS) -> list[ModelChoice]:
    """The models of some kinds that could be set, and what they lack. Only this machine is asked."""
    variables = build_own_environment()
    return [_choice(app, kind, variables) for kind in kinds]


def _choice(app: App, kind: str, variables: Mapping[str, str]) -> ModelChoice:
    if kind == "ollama":
        return _ollama(app)
    if kind in PROGRAMS:
        path = find_program(kind, variables)
        return ModelChoice(model=f"client:{kind}", ready=bool(path), why=path or f"no {kind!r} on your PATH")
    names = VENDORS[kind].keys
    there = next((name for name in names if variables.get(name, "").strip()), "")
    return ModelChoice(model=f"{kind}:NAME", ready=bool(there), why=f"${there} is set" if there else
                       f"set {' or '.join(names)}")  # fmt: skip


def _ollama(app: App) -> ModelChoice:
    settings = _PlainSettings(app)
    where = find_address("ollama", settings, app.home, build_own_environment())
    host = urlsplit(where.url).netloc
    if where.problem:
        return ModelChoice(model="ollama:NAME", ready=False, why=where.problem)
    try:
        said = ModelWire("ollama", where.url, "", ModelTimeouts(connect=SECONDS_TO_LOOK)).look(
            "/models", {}, SECONDS_TO_LOOK
        )
    except HoldfastError:
        said = None
    listed = said.get("data") if isinstance(said, dict) else None
    if not isinstance(listed, list):
        return ModelChoice(model="ollama:NAME", ready=False, why=f"nothing answers at {host}")
    names = tuple(str(each["id"]) for each in listed if isinstance(each, dict) and isinstance(each.get("id"), str))
    return ModelChoice(model="ollama:NAME", ready=True, why=f"it answers at {host}", names=names[:MOST_NAMES])


class _PlainSettings:
    """The settings without an address and a key of the user's: they are another model's."""

    def __init__(self, app: App) -> None:
        self._settings = app.settings

    def __getitem__(self, key: str) -> Any:
        return "" if key in {"model_url", "model_key"} else self._settings[key]
