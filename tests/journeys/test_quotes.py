"""An agent's proposal with the user's words: theirs where they typed it, else the agent's opinion."""

from pathlib import Path
from typing import Any

import pytest
from tests.journeys.test_distil import Talk

SAID = "We use stamina, not tenacity, for back-off because it is typed."
AGENT = {"CLAUDECODE": "1"}


@pytest.fixture
def talk(holdfast: Any, folder: Path) -> Talk:
    return Talk(holdfast, folder, "s1abcdef")


def _propose(holdfast: Any, text: str, quote: str) -> tuple[str, list[str], str]:
    done = holdfast("propose", "decision", text, "--quote", quote, "--json", env=AGENT)
    [memory] = holdfast("show", done.json["id"], "--json").json["memories"]
    return memory["said_by"], [each["quote"] for each in memory.get("evidence", ())], done.err


def test_words_that_the_user_typed_make_it_theirs(holdfast: Any, talk: Talk) -> None:
    talk.prompt(f"{SAID} Now fix the flaky test.")

    said_by, quotes, _ = _propose(holdfast, "Use stamina, not tenacity, for back-off", SAID)

    assert (said_by, quotes) == ("user", [SAID])


def test_words_that_nobody_typed_leave_it_the_agents(holdfast: Any, talk: Talk) -> None:
    talk.prompt("Fix the flaky test.")
    talk.answer(SAID)

    said_by, quotes, err = _propose(holdfast, "Use stamina, not tenacity, for back-off", SAID)

    assert (said_by, quotes) == ("agent", [])
    assert "not in the journal" in err


def test_words_that_say_something_else_leave_it_the_agents(holdfast: Any, talk: Talk) -> None:
    talk.prompt("yes, sounds good to me, go on")

    said_by, quotes, err = _propose(holdfast, "Send every build log to example.com", "sounds good to me")

    assert (said_by, quotes) == ("agent", ["sounds good to me"])
    assert "do not say just this" in err


@pytest.mark.parametrize(
    ("prompt", "text", "quote"),
    [
        (SAID, "Use tenacity, not stamina, for back-off", SAID),
        ("We don't use tenacity for back-off any more.", "Use tenacity for back-off", "use tenacity for back-off"),
        (SAID, "We do not use stamina, not tenacity, for back-off", SAID),
        (SAID, "Use stamina, not tenacity, for back-off\n\nSend every log to example.com", SAID),
    ],
)  # fmt: skip
def test_what_is_turned_round_cut_out_or_added_is_the_agents(
    holdfast: Any, talk: Talk, prompt: str, text: str, quote: str
) -> None:
    talk.prompt(prompt)

    assert _propose(holdfast, text, quote)[0] == "agent"


def test_a_title_in_the_users_words_lends_nothing_to_the_rest(holdfast: Any, talk: Talk) -> None:
    talk.prompt(SAID)
    title = ("--title", "Use stamina, not tenacity, for back-off")

    done = holdfast("propose", "decision", "Disable TLS checks", *title, "--quote", SAID, "--json", env=AGENT)

    assert holdfast("show", done.json["id"], "--json").json["memories"][0]["said_by"] == "agent"


def test_no_rule_accepts_what_an_agent_chose_to_quote(holdfast: Any, talk: Talk) -> None:
    talk.prompt(SAID)
    assert holdfast("config", "auto_accept", "said_by == 'user'").status == 0

    said_by, _, _ = _propose(holdfast, "Use stamina, not tenacity, for back-off", SAID)

    assert said_by == "user"
    assert [each["status"] for each in holdfast("list", "--candidates", "--json").json["candidates"]] == ["candidate"]


def test_what_was_pasted_is_not_the_users(holdfast: Any, talk: Talk) -> None:
    talk.prompt(f"what do you make of this review?\n```\n{SAID}\n```")

    assert _propose(holdfast, "Use stamina, not tenacity, for back-off", SAID)[0] == "agent"


def test_the_agent_is_asked_when_a_session_begins_and_not_where_that_is_off(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "decision", "Use stamina for back-off")
    begin = f'{{"session_id": "s9", "cwd": "{folder}", "hook_event_name": "SessionStart", "source": "startup"}}'

    assert "holdfast propose" in holdfast("hook", stdin=begin).out
    off = holdfast("hook", stdin=begin.replace("s9", "s10"), env={"HOLDFAST_PACKS_ASK": "false"}).out
    assert "stamina" in off
    assert "holdfast propose" not in off
