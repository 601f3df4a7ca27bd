"""Which model a setting names, where it is asked, and with whose key."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.llm.talking import DIALECTS, asking, serving, streaming

from holdfast.config.settings import SETTINGS
from holdfast.core.model import Usage
from holdfast.core.model_port import Model, NoModel
from holdfast.llm.open_model import open_model
from holdfast.llm.prices import price_of, token_cost

KEY = "sk-opening-0123456789"
USUAL = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, "GEMINI_API_KEY": KEY}


def settings(model: str, **others: object) -> dict[str, Any]:
    defaults = {key: setting.default for key, setting in SETTINGS.items()}
    return {**defaults, "model": model, **others}


def opened(model: str, environment: dict[str, str] | None = None, home: str = "/", **others: object) -> Model:
    found = open_model(settings(model, **others), home, environment or {})
    assert not isinstance(found, NoModel), found
    return found


def refused(model: str, environment: dict[str, str] | None = None, home: str = "/", **others: object) -> NoModel:
    found = open_model(settings(model, **others), home, environment or {})
    assert isinstance(found, NoModel)
    return found


@pytest.mark.parametrize("said", ["", "none", "  "])
def test_none_is_wanted_and_none_is_missed(said: str) -> None:
    assert not refused(said).wanted


@pytest.mark.parametrize("said", ["anthropic", "anthropic:", "gpt-5", "client:", "client:vim", "scripted", "ollama"])
def test_what_is_misspelt_is_told_with_the_right_form(said: str) -> None:
    found = refused(said, USUAL)

    assert found.wanted
    assert "client:claude" in found.hint


@pytest.mark.parametrize(
    ("model", "variable", "path", "dialect"),
    [
        ("anthropic:m-1", "ANTHROPIC_BASE_URL", "/v1/messages", "anthropic"),
        ("openai:m-1", "OPENAI_BASE_URL", "/responses", "responses"),
        ("gemini:m-1", "GOOGLE_GEMINI_BASE_URL", "/v1beta/models/m-1:streamGenerateContent?alt=sse", "gemini"),
        ("ollama:m-1", "OLLAMA_HOST", "/v1/chat/completions", "chat"),
    ],
)
def test_the_vendors_own_variables_say_where_and_with_which_key(
    model: str, variable: str, path: str, dialect: str
) -> None:
    with serving(streaming(DIALECTS[dialect][1]())) as server:
        reply = opened(model, {variable: server.url, **USUAL}).complete(asking())

    assert reply.text == "Hello."
    assert server.seen[0][0] == path
    sent = str(server.seen[0][1])
    assert (KEY in sent) is (not model.startswith("ollama"))


def test_an_address_of_the_users_own_does_not_get_the_vendors_key() -> None:
    with serving(streaming(DIALECTS["anthropic"][1]())) as server:
        opened("anthropic:m-1", USUAL, model_url=server.url).complete(asking())

    assert KEY not in str(server.seen)


@pytest.mark.parametrize("place", ["env:MINE", "file:key.txt"])
def test_a_key_is_found_where_the_setting_says(place: str, tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text("sk-mine\n")
    with serving(streaming(DIALECTS["chat"][1]())) as server:
        given = {"model_url": f"{server.url}/v1", "model_key": place}
        opened("openai-compatible:m-1", {"MINE": "sk-mine"}, str(tmp_path), **given).complete(asking())

    assert server.seen[0][1]["Authorization"] == "Bearer sk-mine"


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ("env:NONE", "no key"),
        ("file:none", "cannot be read"),
        ("sk-123456", "does not hold it"),
        ("env:ODD", "no key has"),
    ],
)
def test_a_key_that_is_not_there_is_told_and_never_shown(place: str, word: str, tmp_path: Path) -> None:
    found = refused("anthropic:m-1", {"ODD": "sk 123456\u00e9"}, str(tmp_path), model_key=place)

    assert word in found.reason
    assert "123456" not in found.reason + found.hint


def test_a_vendor_without_a_key_is_told() -> None:
    found = refused("anthropic:m-1")

    assert "no key for api.anthropic.com" in found.reason
    assert "ANTHROPIC_API_KEY" in found.hint


@pytest.mark.parametrize(
    "url",
    [
        "", "ftp://x/v1", "http://models.example.com/v1", "https://ann:secret@x/v1", "https://x/v1?key=1", "nonsense",
        "http://127.0.0.1.example.com/v1", "http://[::1", "https://x:99999/v1", "http://10.0.0.7:11434/v1",
        f"https://{'x' * 80}.com/v1", "https://..com/v1", "https://x/ü", "https://x/\nb",
    ],
)  # fmt: skip
def test_an_address_that_would_not_be_safe_is_refused(url: str) -> None:
    found = refused("openai-compatible:m-1", model_url=url)

    assert "model_url" in found.reason + found.hint
    assert "secret" not in found.reason + found.hint


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "127.0.0.2"])
def test_this_machine_may_be_asked_without_tls(host: str) -> None:
    assert opened("openai-compatible:m-1", model_url=f"http://{host}/v1").traits.free


@pytest.mark.parametrize("said", ["0.0.0.0", "0.0.0.0:11434", "http://localhost", "127.0.0.1:11434"])
def test_where_ollama_listens_is_understood(said: str) -> None:
    assert opened("ollama:m-1", {"OLLAMA_HOST": said}).name == "ollama:m-1"


def test_nothing_of_a_model_shows_its_key() -> None:
    model = opened("anthropic:m-1", USUAL)

    assert KEY not in repr(model) + str(model)


def test_prices_are_known_by_name_and_date_and_not_by_likeness() -> None:
    assert price_of("claude-sonnet-4-5-20250929") == price_of("claude-sonnet-4-5")
    assert price_of("gpt-5.9") is None
    assert price_of("gpt-5-mini") != price_of("gpt-5")
    assert price_of("whatever", "3/15") == price_of("whatever", "3/3/15")
    assert price_of("whatever", "free") is None


def test_cost_counts_what_was_cached_and_written_apart() -> None:
    usage = Usage(input=1_000_000, output=1_000_000, cached=400_000, written=100_000)

    assert token_cost(price_of("", "10/1/20"), usage) == pytest.approx(5 + 0.4 + 1.25 + 20)
    assert token_cost(None, usage) is None


def test_a_price_that_is_none_is_told() -> None:
    assert "3/15" in refused("openai-compatible:x", model_url="http://127.0.0.1/v1", model_price="cheap").hint
