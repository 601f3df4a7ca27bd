"""The offer of a model at setting up: what runs here already, what a session costs with it, what it may cost."""

from collections.abc import Iterator

from holdfast.core.errors import BadRequest
from holdfast.core.model import Usage
from holdfast.core.value import Value
from holdfast.llm.app_model import explain_no_model
from holdfast.llm.prices import price_of, token_cost
from holdfast.setup.change_settings import set_value
from holdfast.setup.choose_model import list_choices
from holdfast.workspace import App

CLIENTS = ("claude", "codex")
# What is named where only a key is there: good at this, and not dear.
NAMES = {"anthropic": "claude-sonnet-5", "openai": "gpt-5.6-terra", "gemini": "gemini-2.5-flash"}
# Measured: 38 sessions of two projects, the median, tokens by bytes / 3 (`python -m bench.distil --recorded`).
SESSION = Usage(input=9_400, output=530)
CENTS = 100


class ModelOffer(Value):
    """A model that could be set now: its name as the setting has it, where it comes from, what a session costs."""

    model: str
    source: str
    cost: str
    leaves: bool


def list_model_offers(app: App) -> list[ModelOffer]:
    """What could judge sessions here, the nearest first; nothing where a model is set, or was turned down."""
    return [] if str(app.settings["model"]).strip() else list(_offers(app))


def check_model(model: str) -> None:
    """Whether a name can be a model's. Raises BadRequest."""
    if none := explain_no_model(model):
        raise BadRequest(f"{none.reason[:1].upper()}{none.reason[1:]}.", none.hint)


def set_model(app: App, model: str) -> str:
    """Set the user's model, or that they want none; and say what it may cost."""
    set_value(app, "model", model, where="--model")
    return describe_budget(app)


def describe_budget(app: App) -> str:
    """The most that may be spent, in words."""
    cents = [int(app.settings[f"model_{span}_cents"]) for span in ("session", "day")]
    tokens = int(app.settings["model_day_tokens"])
    said = [f"{each} cents a {span}" for each, span in zip(cents, ("session", "day"), strict=True) if each]
    said += [f"{tokens:,} tokens a day"] if tokens else []
    return f"at most {', '.join(said)}" if said else "without a limit"


def _offers(app: App) -> Iterator[ModelOffer]:
    for choice in list_choices(app, (*CLIENTS, *NAMES, "ollama")):
        kind = choice.model.partition(":")[0]
        if not choice.ready:
            continue
        if kind == "client":
            source, cost = "the client that you run", f"{_tokens()} of your subscription"
            yield ModelOffer(model=choice.model, source=source, cost=cost, leaves=True)
        elif kind in NAMES:
            yield ModelOffer(model=f"{kind}:{NAMES[kind]}", source=choice.why, cost=_cents(NAMES[kind]), leaves=True)
        elif choice.names:
            name = f"{kind}:{choice.names[0]}"
            yield ModelOffer(model=name, source=choice.why, cost="nothing, on this machine", leaves=False)


def _tokens() -> str:
    return f"about {SESSION.input + SESSION.output:,} tokens"


def _cents(name: str) -> str:
    cost = token_cost(price_of(name), SESSION)
    return _tokens() if cost is None else f"about {cost * CENTS:.1f} cents"
