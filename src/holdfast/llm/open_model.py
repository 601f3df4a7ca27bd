"""Opens the model that a setting names. Opening sends nothing."""

import os
from collections.abc import Callable, Mapping
from typing import Protocol
from urllib.parse import urlsplit

from holdfast.core.model_port import Model, NoModel, Traits
from holdfast.core.value import Value
from holdfast.llm import anthropic_messages, gemini_model, openai_responses
from holdfast.llm.chat_completions import ChatCompletions
from holdfast.llm.client_model import PROGRAMS, PrintModel, find_program
from holdfast.llm.dialect import Dialect
from holdfast.llm.http_model import EndpointModel, ModelIdentity
from holdfast.llm.model_keys import ModelKey, find_key
from holdfast.llm.prices import is_price, price_of
from holdfast.llm.scripted_model import ScriptedModel, load_script
from holdfast.llm.wire import ModelTimeouts, ModelWire
from holdfast.system.http_proxies import is_loopback

OLLAMA = "http://127.0.0.1:11434/v1"
OLLAMA_PORT = 11434
OFF = NoModel(reason="no model is set", hint="name one: `holdfast config model anthropic:NAME`.", wanted=False)
ALIASES: Mapping[str, str] = {"claude-cli": "client:claude", "codex-cli": "client:codex"}
FORMS = (
    "anthropic:NAME, openai:NAME, gemini:NAME, ollama:NAME, openai-compatible:NAME with model_url, "
    "client:claude, client:codex, scripted:FILE or none"
)


class ModelSettingsView(Protocol):
    """The settings in force, by key."""

    def __getitem__(self, key: str, /) -> object: ...


class ModelVendor(Value):
    """A kind of endpoint: its dialect, its address and the variables that may say another, its usual keys."""

    dialect: Callable[[], Dialect]
    url: str = ""
    base: str = ""
    keys: tuple[str, ...] = ()
    needs_name: bool = True


VENDORS: Mapping[str, ModelVendor] = {
    "anthropic": ModelVendor(
        dialect=anthropic_messages.AnthropicMessages,
        url=anthropic_messages.URL,
        base="ANTHROPIC_BASE_URL",
        keys=("ANTHROPIC_API_KEY",),
    ),
    "openai": ModelVendor(
        dialect=openai_responses.OpenAIResponses,
        url=openai_responses.URL,
        base="OPENAI_BASE_URL",
        keys=("OPENAI_API_KEY",),
    ),
    "gemini": ModelVendor(
        dialect=gemini_model.GenerateContent,
        url=gemini_model.URL,
        base="GOOGLE_GEMINI_BASE_URL",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    "ollama": ModelVendor(dialect=ChatCompletions, url=OLLAMA, base="OLLAMA_HOST"),
    "openai-compatible": ModelVendor(dialect=ChatCompletions, needs_name=False),
}


class ModelAddress(Value):
    """Where a model is asked, and with which key. `problem` and `hint` say why it is not."""

    url: str = ""
    key: ModelKey = ModelKey()
    problem: str = ""
    hint: str = ""


def why_no_model(value: str) -> NoModel | None:
    """Why a value names no model, by its form alone: an address or a key may come later."""
    said = value.strip()
    whole = ALIASES.get(said, said)
    kind, _, rest = whole.partition(":")
    vendor = kind in VENDORS and (bool(rest) or not VENDORS[kind].needs_name)
    if (
        whole in {"", "none"}
        or vendor
        or (kind == "client" and rest.partition(":")[0] in PROGRAMS)
        or (kind == "scripted" and rest)
    ):
        return None
    return NoModel(reason=f"model {said!r} is none that Holdfast knows", hint=f"write one of {FORMS}.")


def open_model(settings: ModelSettingsView, home: str, environment: Mapping[str, str]) -> Model | NoModel:
    """The model of `settings["model"]`, or why there is none."""
    said = str(settings["model"]).strip()
    whole = ALIASES.get(said, said)
    kind, _, rest = whole.partition(":")
    if whole in {"", "none"}:
        return OFF
    if kind == "client":
        return _client(rest, settings, environment)
    if kind == "scripted" and rest:
        return _script(os.path.join(home, os.path.expanduser(rest)), whole)
    if kind in VENDORS and (rest or not VENDORS[kind].needs_name):
        return _open_endpoint(kind, rest, settings, home, environment)
    return NoModel(reason=f"model {said!r} is none that Holdfast knows", hint=f"write one of {FORMS}.")


def find_address(kind: str, settings: ModelSettingsView, home: str, environment: Mapping[str, str]) -> ModelAddress:
    """Where a vendor's model would be asked."""
    vendor = VENDORS[kind]
    own = str(settings["model_url"]).strip()
    url = own or _base(kind, environment) or vendor.url
    wrong = _why_bad_url(url)
    if wrong:
        return ModelAddress(
            url=url,
            problem=wrong,
            hint="set `model_url` like https://models.example.com/v1, or http://127.0.0.1:8000/v1.",
        )
    # The vendor's key goes where the vendor's own programs would send it: an address of the user's says its key itself.
    usual = () if own else vendor.keys
    key = find_key(str(settings["model_key"]).strip(), home, environment, usual)
    how = f"set {vendor.keys[0]}, or" if vendor.keys and not own else "set"
    hint = f"{how} `holdfast config model_key env:NAME` or `file:PATH`."
    if key.problem:
        return ModelAddress(url=url, key=key, problem=key.problem, hint=hint)
    if usual and not key.value and not is_loopback(urlsplit(url).hostname or ""):
        return ModelAddress(url=url, key=key, problem=f"there is no key for {urlsplit(url).hostname}", hint=hint)
    return ModelAddress(url=url.rstrip("/"), key=key)


def read_timeouts(settings: ModelSettingsView, *, local: bool) -> ModelTimeouts:
    """How long to wait. A model on this machine may have to be loaded first."""
    total = float(str(settings["model_seconds"]))
    return ModelTimeouts(read=total if local else min(ModelTimeouts().read, total), total=total)


def _open_endpoint(
    kind: str, rest: str, settings: ModelSettingsView, home: str, environment: Mapping[str, str]
) -> Model | NoModel:
    found = find_address(kind, settings, home, environment)
    name = f"{kind}:{rest}" if rest else kind
    if found.problem:
        return NoModel(reason=f"model {name!r}: {found.problem}", hint=found.hint)
    said = str(settings["model_price"]).strip()
    if said and not is_price(said):
        return NoModel(reason=f"`model_price` is {said!r}", hint="write dollars per million tokens: 3/15, or 3/0.3/15.")
    host = urlsplit(found.url).hostname or ""
    local = is_loopback(host)
    price = price_of(rest, said)
    free = local and not said and kind in {"ollama", "openai-compatible"}
    named = ModelIdentity(name=name, model=rest, price=price, traits=Traits(free=free))
    wire = ModelWire(name, found.url, found.key.value, read_timeouts(settings, local=local))
    return EndpointModel(named, VENDORS[kind].dialect(), wire, found.key.value)


def _client(rest: str, settings: ModelSettingsView, environment: Mapping[str, str]) -> Model | NoModel:
    kind, _, model = rest.partition(":")
    if kind not in PROGRAMS:
        return NoModel(reason=f"model 'client:{rest}' names no client", hint="write client:claude or client:codex.")
    path = find_program(kind, environment)
    if not path:
        return NoModel(
            reason=f"model 'client:{kind}': there is no program {kind!r} on your PATH",
            hint="install it, or name another model.",
        )
    return PrintModel(kind, path, model, environment, float(str(settings["model_seconds"])))


def _script(path: str, name: str) -> Model | NoModel:
    lines = load_script(path)
    return lines if isinstance(lines, NoModel) else ScriptedModel(lines, name)


def _base(kind: str, environment: Mapping[str, str]) -> str:
    vendor = VENDORS[kind]
    said = environment.get(vendor.base, "").strip() if vendor.base else ""
    if kind != "ollama" or not said:
        return said
    parts = urlsplit(said if "://" in said else f"http://{said}")
    try:
        port = parts.port or OLLAMA_PORT
    except ValueError:
        return said
    # What Ollama listens on everywhere is reached here.
    host = parts.hostname if parts.hostname not in {None, "0.0.0.0", "::"} else "127.0.0.1"  # noqa: S104  # not bound
    return f"{parts.scheme}://{f'[{host}]' if ':' in str(host) else host}:{port}/v1"


def _why_bad_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  # raises where it is none
        (parts.hostname or "").encode("idna")
    except ValueError:
        return f"{url!r} is no address"
    if not url:
        return "it needs `model_url`, the address of its API"
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return f"{url!r} is no address of http or https"
    if parts.username or parts.query or parts.fragment or not (url.isascii() and url.isprintable()) or " " in url:
        return "its address holds a name, a password, a query, blanks or other odd characters"
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        return f"plain http to {parts.hostname!r} would show what is sent to everybody on the way"
    return ""
