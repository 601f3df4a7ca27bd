"""Talking with the agent, in a process of its own, on a model server on loopback."""

import json
from pathlib import Path
from typing import Any

from tests.minds import Heard, Say, minding

Run = Any


def test_a_conversation_remembers_is_told_memory_and_goes_on_later(holdfast: Run, folder: Path) -> None:
    (folder / "app.py").write_text("x = 1\n")
    holdfast("remember", "failure", "Redis for the cache refused connections", "--root-cause", "the network policy")
    heard: list[Heard] = []

    def mind(asked: Heard) -> Say:
        heard.append(asked)
        if asked.results:
            return Say(text=f"It says {asked.results[0].splitlines()[-1]}.")
        if "read" in asked.text.rpartition("\n")[2]:
            return Say(calls=(("read", {"path": "app.py"}),))
        return Say(text="Hello.")

    with minding(mind) as server:
        env = server.environment("anthropic")
        talk = "please read app.py\nshall we use Redis for the cache?\n/history\n/memory Redis cache\n/nonsense\n"
        done = holdfast("chat", "--trust", "read_only", stdin=talk, env=env)
        again = holdfast("chat", "--resume", "last", "--trust", "read_only", stdin="and now?\n", env=env)

    assert done.status == 0, done.err
    assert "[read app.py]" in done.out
    assert "x = 1" in done.out
    assert "you: please read app.py" in done.out
    assert "is no command" in done.out
    assert "Redis for the cache refused connections" in done.out
    asked = next(each for each in heard if "shall we use Redis" in each.text)
    assert "KNOWN DEAD ENDS" in asked.text
    assert again.status == 0, again.err
    assert "please read app.py" in heard[-1].text
    assert (folder / "app.py").read_text() == "x = 1\n"


def test_memory_is_kept_and_taken_back_while_talking(holdfast: Run) -> None:
    with minding(lambda _: Say(text="Fine.")) as server:
        done = holdfast(
            "chat", "--trust", "read_only", stdin="/remember learning CI needs two cores\n/candidates\n/cost\nhi\n",
            env=server.environment("openai"),
        )  # fmt: skip

    assert "Kept LRN-" in done.out
    assert [each["title"] for each in holdfast("list", "--json").json["memories"]] == ["CI needs two cores"]


def test_answers_as_json(holdfast: Run) -> None:
    with minding(lambda _: Say(text="Fine.")) as server:
        done = holdfast("chat", "--trust", "read_only", "--json", stdin="hi\n", env=server.environment("gemini"))

    assert json.loads(done.out.splitlines()[0]) == {"answer": "Fine.", "tools": []}


def test_a_model_that_fails_does_not_end_the_conversation(holdfast: Run) -> None:
    said = [Say(status=400, text="bad"), Say(text="Better.")]
    with minding(lambda _: said.pop(0) if len(said) > 1 else said[0]) as server:
        done = holdfast("chat", "--trust", "read_only", stdin="one\ntwo\n", env=server.environment("anthropic"))

    assert "error:" in done.err
    assert "Better." in done.out
