"""When a client counts as silent."""

import pytest

from holdfast.clients.client_table import client_of
from holdfast.clients.manage_clients import ClientActivity

THEN = "2026-11-15T09:00:00.000Z"
NOTHING = ClientActivity(last={}, today={})
CODEX_HEARD = ClientActivity(last={"codex": THEN}, today={})


@pytest.mark.parametrize(
    ("client", "heard", "used", "silent"),
    [
        ("claude-code", NOTHING, "", True),
        ("claude-code", NOTHING, THEN, True),
        ("claude-code", CODEX_HEARD, "", False),
        ("claude-code", CODEX_HEARD, THEN, True),
        ("codex", CODEX_HEARD, "", False),
        ("codex", CODEX_HEARD, THEN, True),
        ("cursor", CODEX_HEARD, "", True),
        ("aider", NOTHING, "", False),
    ],
)
def test_silent_is_who_should_be_heard_and_is_not(client: str, heard: ClientActivity, used: str, silent: bool) -> None:
    assert heard.silent(client_of(client), used) is silent


def test_a_client_is_heard_under_all_of_its_names() -> None:
    heard = ClientActivity(last={"vscode": THEN, "copilot": "2026-11-14T09:00:00.000Z"}, today={})

    assert heard.last_of(client_of("copilot")) == THEN


def test_a_client_heard_before_the_look_begins_is_unheard_only_since_then() -> None:
    heard = ClientActivity(last={"codex": THEN}, today={}, begun="2026-11-01T09:00:00.000Z")

    assert heard.silent_since(client_of("codex")) == THEN
    assert heard.silent_since(client_of("gemini")) == "2026-11-01T09:00:00.000Z"
    assert CODEX_HEARD.silent_since(client_of("gemini")) == ""
