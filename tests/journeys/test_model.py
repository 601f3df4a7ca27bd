"""A model, as a person sets it, tries it and pays for it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.unit.llm.talking import DIALECTS, KEY, Handler, serving, status, streaming

from holdfast.app import open_memory
from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.distilled import Known
from holdfast.distil.open_distiller import open_distiller

HELLO = {name: streaming(events()) for name, (_, events) in DIALECTS.items()}
PAYLOAD = (
    '{"session_id":"s1","transcript_path":"/home/dev/.claude/p/s1.jsonl","cwd":"%s",'
    '"hook_event_name":"UserPromptSubmit","prompt":"Use Postgres instead of Redis."}'
)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "OLLAMA"):
        for variable in [each for each in os.environ if each.startswith(name)]:
            monkeypatch.delenv(variable)


def trying(bare: Any, *words: str, **env: str) -> Any:
    return bare("config", "model", "test", *words, env=env)


def test_without_a_model_it_is_said_what_could_be_set(bare: Any) -> None:
    shown = bare("config", "model", env={"OPENAI_API_KEY": KEY, "OLLAMA_HOST": "127.0.0.1:9"})
    form = bare(
        "config", "model", "list", "--prices", "--json", env={"OPENAI_API_KEY": KEY, "OLLAMA_HOST": "127.0.0.1:9"}
    ).json

    assert shown.status == 0
    assert "distilled by rules" in shown.out
    ready = {choice["model"]: choice["ready"] for choice in form["choices"]}
    assert ready["openai:NAME"]
    assert not ready["anthropic:NAME"]
    assert not ready["ollama:NAME"]
    assert form["prices"]["claude-haiku-4-5"] == {"input": 1, "output": 5, "cached": 0.1}
    assert KEY not in shown.out + json.dumps(form)


def test_a_model_is_tried_and_what_it_took_is_shown(bare: Any) -> None:
    with serving(HELLO["responses"]) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY, "HOLDFAST_MODEL": "openai:gpt-5"}
        shown = bare("config", "model", "test", env=env)
        form = bare("config", "model", "test", "--json", env=env).json
        listed = bare("config", "model", env=env)

    assert shown.status == 0, shown.err
    assert "openai:gpt-5 answers: 'Hello.'" in shown.out
    assert (form["input"], form["output"], form["cached"], form["answered_by"]) == (16, 5, 4, "m-1")
    assert form["cost"] == pytest.approx((12 * 1.25 + 4 * 0.125 + 5 * 10) / 1e6)
    assert "$OPENAI_API_KEY" in listed.out
    costs = bare("report", "cost", "--days", "2", "--json").json
    assert (costs["total"]["requests"], costs["total"]["input"], len(costs["days"])) == (2, 32, 2)
    assert costs["total"]["cost"] == pytest.approx(form["cost"] * 2, abs=1e-5)
    plot = bare("report", "cost", "--days", "2").out
    assert "█" in plot
    assert "openai:gpt-5: 2 requests" in plot
    assert KEY not in shown.out + listed.out + json.dumps(costs) + plot


@pytest.mark.parametrize(
    ("code", "exit_status", "word"),
    [(401, 2, "does not take the key"), (403, 2, "does not take the key"), (404, 3, "does not have it"),
     (400, 2, "did not take the request"), (429, 6, "no more requests"), (500, 6, "trouble of its own")],
)  # fmt: skip
def test_what_is_wrong_is_told_in_words_and_status(
    bare: Any, home: Path, code: int, exit_status: int, word: str
) -> None:
    with serving(status(code, f"said with {KEY}", Retry_After="0")) as server:
        done = trying(bare, "--set", "model=anthropic:x", ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY=KEY)

    assert done.status == exit_status
    assert word in done.err
    assert "hint:" in done.err
    assert KEY not in done.err + done.out
    kept = [path.read_text(errors="replace") for path in home.rglob("*") if path.is_file()]
    assert kept
    assert not [text for text in kept if KEY in text]


def test_nobody_there_no_key_and_no_model_are_three_things(bare: Any) -> None:
    gone = trying(bare, "--set", "model=openai-compatible:x", "--set", "model_url=http://127.0.0.1:9/v1")
    keyless = trying(bare, "--set", "model=anthropic:claude-haiku-4-5")
    none = trying(bare)
    misspelt = trying(bare, "--set", "model=claude")

    assert (gone.status, "refused" in gone.err) == (6, True)
    assert (keyless.status, "no key for api.anthropic.com" in keyless.err) == (2, True)
    assert (none.status, "No model is set" in none.err) == (2, True)
    assert (misspelt.status, "anthropic:NAME" in misspelt.err) == (2, True)


def test_a_model_that_takes_too_long_is_given_up(bare: Any) -> None:
    def dripping(handler: Handler) -> None:
        handler.begin()
        while not handler.server.over.wait(0.02):
            handler.piece(b": wait\n\n")

    with serving(dripping) as server:
        done = trying(bare, "--set", "model=ollama:x", "--set", "model_seconds=2", OLLAMA_HOST=server.url)

    assert done.status == 6
    assert "too slow" in done.err
    assert "model_seconds" in done.err


def test_a_budget_stops_a_request_before_it_is_sent(bare: Any) -> None:
    with serving(HELLO["chat"]) as server:
        done = trying(bare, "--set", "model=ollama:x", "--set", "model_day_tokens=100", OLLAMA_HOST=server.url)

        assert server.seen == []
    assert done.status == 2
    assert "used up" in done.err


def test_a_key_is_not_taken_where_its_place_belongs(bare: Any, home: Path) -> None:
    done = bare("config", "model_key", KEY)

    assert done.status == 2
    assert "env:NAME or file:PATH" in done.err
    assert KEY not in done.err + done.out
    assert not [path for path in home.rglob("*") if path.is_file() and KEY in path.read_text(errors="replace")]


def test_a_repository_can_name_no_model(holdfast: Any, folder: Path) -> None:
    names = 'model = "scripted:x"\nmodel_url = "https://evil.example/v1"\nmodel_key = "env:HOME"\n'
    (folder / ".holdfast/config.toml").write_text(names)

    listed = holdfast("config", "model", "--json")

    assert (listed.json["model"], listed.json["address"]) == ("", "")
    assert listed.err.count("may not set it") == 3


def test_a_script_is_a_model_for_everybody(bare: Any, home: Path) -> None:
    (home / "replies.jsonl").write_text('{"text": "ready \\u001b[31m", "usage": {"input": 2, "output": 1}}\n')

    done = trying(bare, "--set", "model=scripted:replies.jsonl")

    assert done.status == 0, done.err
    assert "\x1b" not in done.out


def test_a_client_that_we_ask_ourselves_is_not_captured(holdfast: Any, folder: Path) -> None:
    quiet = holdfast("hook", stdin=PAYLOAD % folder, env={"HOLDFAST_CAPTURE": "off"})
    before = list((folder / ".holdfast").glob("journal/*.jsonl"))
    loud = holdfast("hook", stdin=PAYLOAD % folder)

    assert (quiet.status, quiet.out, before) == (0, "", [])
    assert loud.status == 0
    assert list((folder / ".holdfast").glob("journal/*.jsonl"))


SAID = "Let's go with Postgres instead of Redis, since Jane Doe runs it already."
TALK = Conversation(
    session="s-9",
    client="claude-code",
    turns=(Turn(id="01M7G000000000000000000001", kind=TurnKind.PROMPT, ts="2026-11-15T10:00:00Z", text=SAID),),
)


def answer() -> dict[str, Any]:
    empty = dict.fromkeys(
        ("body", "category", "question", "choice", "fact", "root_cause", "error_type", "error_message"), ""
    )
    candidate = {
        **empty, "type": "decision", "title": "Use Postgres instead of Redis", "rejected": [], "paths": [], "tags": [],
        "confidence": 0.9, "evidence": [{"turn": 1, "quote": SAID}], "replaces": [],
    }  # fmt: skip
    lines: dict[str, list[str]] = {name: [] for name in ("request", "investigated", "completed", "next")}
    briefing = {"mission": "m", "status": "in_progress", "progress": "p", "hazards": [], "next_action": "n"}
    return {"candidates": [candidate], "verdicts": [], "summary": {"title": "t", **lines}, "briefing": briefing}


@pytest.fixture
def scripted(home: Path) -> dict[str, str]:
    line = {"data": answer(), "usage": {"input": 900, "output": 80}}
    (home / "replies.jsonl").write_text(json.dumps(line) + "\n")
    return {"model": "scripted:replies.jsonl"}


def test_the_distiller_of_a_workspace_asks_its_model_once_for_the_same_session(
    holdfast: Any, folder: Path, scripted: dict[str, str]
) -> None:
    made = []
    for _ in range(2):  # a fresh process each time: the script has one answer only
        found = open_distiller(open_memory(str(folder), scripted))
        assert found.distiller is not None
        made.append(found.distiller.distil(TALK, Known()))
        assert found.distiller.problem == ""

    assert made[0] == made[1]
    assert [memory.title for memory in made[0].candidates] == ["Use Postgres instead of Redis"]
    requests = holdfast("report", "cost", "--days", "1", "--json").json["requests"]
    assert [(each["outcome"], each["session"], each["input"]) for each in requests] == [
        ("answered", "s-9", 900),
        ("remembered", "s-9", 0),
    ]


def test_what_a_model_said_of_somebody_is_purged_with_the_rest(
    holdfast: Any, folder: Path, scripted: dict[str, str], home: Path
) -> None:
    found = open_distiller(open_memory(str(folder), scripted))
    assert found.distiller is not None
    found.distiller.distil(TALK, Known())
    assert list((folder / ".holdfast/state/models").iterdir())

    done = holdfast("forget", "--subject", "Jane Doe", "--purge", "--yes", "--json")

    # A file of the user's own in our home: a purge names it and leaves it.
    assert (done.status, "replies.jsonl" in done.err) == (5, True)
    assert (home / "replies.jsonl").exists()
    assert list((folder / ".holdfast/state/models").iterdir()) == []


def test_without_a_model_there_is_no_distiller_and_that_is_no_trouble(holdfast: Any, folder: Path) -> None:
    none = open_distiller(open_memory(str(folder)))
    wrong = open_distiller(open_memory(str(folder), {"model": "anthropic:x"}))

    assert (none.distiller, none.wanted) == (None, False)
    assert (wrong.distiller, wrong.wanted) == (None, True)
    assert "no key" in wrong.reason
    assert "ANTHROPIC_API_KEY" in wrong.hint


def test_days_without_a_request_are_shown_as_such(bare: Any) -> None:
    assert bare("report", "cost").out == "No model was asked in the last 14 days.\n"
    assert bare("report", "cost", "--days", "0").status == 2
    assert bare("report", "cost", "--days", "99999").status == 2
