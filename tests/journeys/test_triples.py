"""Triples by a model: made, paid for, used by search, graph and related, and taken away again."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.test_distil import Talk, cache_session
from tests.unit.llm.talking import DIALECTS, KEY, serving, status, streaming
from tests.waiting import LONG, wait_for

from holdfast.app import open_memory
from holdfast.core.memory import Memory, MemoryType, Scope

SAID = {
    "export": "the nightly export writes to the cold bucket",
    "bucket": "the cold bucket belongs to the storage guild",
    "guild": "the storage guild meets on thursdays",
}
TRIPLES = {
    "export": [("nightly export", "writes to", "cold bucket")],
    "bucket": [("cold bucket", "belongs to", "storage guild")],
    "guild": [("storage guild", "meets on", "thursday")],
}
QUESTION = "who is behind the place that our nightly exports end up in"
ON = {"HOLDFAST_GRAPH_TRIPLES": "model", "HOLDFAST_MODEL": "scripted:replies.jsonl"}


def answer(name: str) -> dict[str, Any]:
    listed = [dict(zip(("subject", "relation", "object"), each, strict=True)) for each in TRIPLES[name]]
    return {"triples": listed}


def script(home: Path, *names: str, **more: Any) -> None:
    lines = [
        {"when": SAID[name], "data": answer(name), "usage": {"input": 400, "output": 40}, **more} for name in names
    ]
    lines.append({"when": "behind widget", "data": {"triples": []}})
    (home / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def ids(holdfast: Any, home: Path) -> dict[str, str]:
    script(home, *SAID)
    return {name: holdfast("remember", "learning", words, "--json").json["id"] for name, words in SAID.items()}


@pytest.fixture
def noise(folder: Path, ids: dict[str, str]) -> None:
    """Many memories that look more like the question than what answers it."""
    vault = open_memory(str(folder)).vaults[Scope.WORKSPACE]
    for number in range(160):
        words = f"release {number} ended up in the place behind widget {number * 7}"
        vault.create(Memory(id=f"LRN-{number:06}", type=MemoryType.LEARNING, title=words, body=words))


def made(holdfast: Any, *more: str) -> Any:
    done = holdfast("doctor", "--triples", "--json", *more, env=ON)
    assert done.status == 0, done.err
    return done.json


def hits(holdfast: Any, words: str, **env: str) -> list[str]:
    found = holdfast("search", words, "--recipe", "default", "--json", env=env)
    return [hit["id"] for hit in found.json["hits"]]


def test_cost_is_told_before_and_after_and_nothing_is_asked_twice(holdfast: Any, ids: dict[str, str]) -> None:
    first = holdfast("doctor", "--triples", env=ON)
    again = holdfast("doctor", "--triples", env=ON)

    assert "3 memories to ask scripted:replies.jsonl about: some" in first.out
    assert "3 memories asked about, 3 triples; 1200 tokens sent, 120 answered" in first.out
    assert "Nothing waits" in again.out
    assert holdfast("report", "cost", "--json").json["total"]["requests"] == 3
    assert {line["purpose"] for line in holdfast("report", "cost", "--json").json["requests"]} == {"triples"}


def test_a_question_two_hops_away_finds_its_memory_only_with_triples(
    holdfast: Any, ids: dict[str, str], noise: None
) -> None:
    pytest.importorskip("wordllama", reason="the graph lane is asked where an embedder is")
    before = hits(holdfast, QUESTION, **ON)
    made(holdfast)

    assert before[0] == ids["export"]
    assert ids["bucket"] not in before
    assert hits(holdfast, QUESTION, **ON)[:2] == [ids["export"], ids["bucket"]]
    # Off again, they are as if they were not there.
    assert hits(holdfast, QUESTION) == before


def test_the_graph_shows_them_with_their_relations(holdfast: Any, ids: dict[str, str]) -> None:
    made(holdfast)

    tree = holdfast("graph", "--around", "cold bucket", env=ON).out
    found = holdfast("graph", "--around", ids["export"], "--json", env=ON).json

    assert "← “writes to”: entity nightly export" in tree
    assert "“belongs to”: entity storage guild" in tree
    assert "mentioned by: " + ids["bucket"] in tree
    assert {"kind": "fact", "from": "entity:nightly export", "to": "entity:cold bucket", "why": "writes to"} in (
        found["edges"]
    )
    assert "“writes to”" in holdfast("graph", "--around", ids["export"], env=ON).out
    assert '[label="“writes to”"]' in holdfast("graph", "--around", ids["export"], "--dot", env=ON).out
    assert "-->|writes to|" in holdfast("graph", "--around", ids["export"], "--mermaid", env=ON).out
    assert holdfast("graph", "--around", "cold bucket").status == 3


def test_related_says_which_fact_binds(holdfast: Any, ids: dict[str, str]) -> None:
    made(holdfast)

    related = {
        each["id"]: each for each in holdfast("show", "--related", ids["export"], "--json", env=ON).json["related"]
    }

    [why] = [why for why in related[ids["bucket"]]["why"] if why["kind"] == "facts"]
    assert why["text"] == "both speak of cold bucket; a model read: nightly export “writes to” cold bucket"
    assert ids["guild"] not in related


def test_an_edited_memory_waits_again_and_its_old_facts_are_not_used(holdfast: Any, ids: dict[str, str]) -> None:
    made(holdfast)
    [path] = (Path(holdfast("status", "--json").json["workspace"]) / ".holdfast/memory").glob(f"*/{ids['bucket']}*.md")
    path.write_text(path.read_text().replace(SAID["bucket"], "the cold bucket is gone"))

    shown = holdfast("graph", "--around", "cold bucket", env=ON).out

    assert "storage guild" not in shown
    assert "nightly export" in shown
    assert holdfast("doctor", "--triples", "--status", "--json", env=ON).json["waiting"] == 1


def test_a_change_that_leaves_the_words_asks_nobody(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    made(holdfast)
    [path] = (folder / ".holdfast/memory").glob(f"*/{ids['bucket']}*.md")
    path.write_text(path.read_text().replace("---\n", "---\ntags: [storage]\n", 1))

    assert holdfast("doctor", "--triples", "--status", "--json", env=ON).json["waiting"] == 0
    assert "“belongs to”" in holdfast("graph", "--around", "cold bucket", env=ON).out


def test_a_rebuild_and_a_lost_file_cost_nothing(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    made(holdfast)
    assert holdfast("doctor", "--rebuild").status == 0
    assert "“belongs to”" in holdfast("graph", "--around", "cold bucket", env=ON).out
    shutil.rmtree(folder / ".holdfast/state/triples")

    again = made(holdfast)

    assert (again["memories"], again["remembered"], again["input"]) == (3, 3, 0)


def test_it_goes_on_where_it_was_stopped(holdfast: Any, ids: dict[str, str], home: Path) -> None:
    script(home, "bucket", "guild")  # the script has no answer for the third

    broken = holdfast("doctor", "--triples", "--json", env=ON)
    script(home, *SAID)
    rest = made(holdfast, "--limit", "5")

    assert broken.status == 2
    assert "ended early" in broken.err
    assert broken.json["memories"] + rest["memories"] == 3
    assert rest["left"] == 0


def test_ctrl_c_keeps_what_was_answered(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    events = DIALECTS["anthropic"][1](json.dumps({"triples": []}))
    with serving(streaming(events), streaming(events, pause=2.0)) as server:
        env = {
            **os.environ, "HOLDFAST_GRAPH_TRIPLES": "model", "HOLDFAST_MODEL": "anthropic:claude-haiku-4-5",
            "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY,
        }  # fmt: skip
        command = [sys.executable, "-m", "holdfast.cli.main", "doctor", "--triples"]
        running = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for(lambda: len(server.seen) > 1, "the second question")
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=LONG)

    assert running.returncode != 0
    assert b"Traceback" not in said
    state = holdfast("doctor", "--triples", "--status", "--json", env=ON).json
    assert (state["memories"], state["waiting"]) == (1, 2)


def test_distilling_asks_about_new_memories_too(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    cache_session(Talk(holdfast, folder, "s1abcdef"), folder)
    quiet = {"HOLDFAST_DISTIL_AUTO": "false"}

    done = holdfast("distil", env={**ON, **quiet})

    assert done.status == 0, done.err
    state = holdfast("doctor", "--triples", "--status", "--json", env=ON).json
    assert (state["memories"], state["waiting"]) == (3, 0)


def test_distilling_without_a_model_says_so_and_goes_on(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    cache_session(Talk(holdfast, folder, "s1abcdef"), folder)

    done = holdfast("distil", "--json", env={"HOLDFAST_GRAPH_TRIPLES": "model"})

    assert done.status == 0, done.err
    assert len(done.json["sessions"]) == 1
    assert "Triples were not made: There is no model to ask" in done.err


def test_a_limit_takes_the_newest(holdfast: Any, ids: dict[str, str]) -> None:
    done = made(holdfast, "--limit", "2")

    assert (done["memories"], done["left"]) == (2, 1)
    assert done["before"]["memories"] == 2


def test_a_budget_ends_it_and_says_so(holdfast: Any, ids: dict[str, str]) -> None:
    env = {**ON, "HOLDFAST_MODEL_DAY_TOKENS": "2000"}

    done = holdfast("doctor", "--triples", "--json", env=env)

    assert done.status == 2
    assert done.json["memories"] == 2
    assert "used up" in done.err


def test_a_real_endpoint_is_asked_with_its_key_and_its_price(holdfast: Any, ids: dict[str, str]) -> None:
    text = json.dumps(answer("export"))
    with serving(streaming(DIALECTS["anthropic"][1](text))) as server:
        env = {
            "HOLDFAST_GRAPH_TRIPLES": "model", "HOLDFAST_MODEL": "anthropic:claude-haiku-4-5",
            "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY,
        }  # fmt: skip
        done = holdfast("doctor", "--triples", env=env)

    assert done.status == 0, done.err
    assert "at most $0.0" in done.out
    # Of one answer for all three, only the memory that holds both names bears it out.
    assert "3 memories asked about, 1 triple;" in done.out
    assert len(server.seen) == 3
    assert KEY not in done.out + done.err


def test_an_endpoint_that_does_not_answer_is_told(holdfast: Any, ids: dict[str, str]) -> None:
    with serving(status(500, "broken", Retry_After="0")) as server:
        env = {
            "HOLDFAST_GRAPH_TRIPLES": "model", "HOLDFAST_MODEL": "anthropic:x", "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": KEY,
        }  # fmt: skip
        done = holdfast("doctor", "--triples", "--json", env=env)

    assert done.status == 6
    assert done.json["memories"] == 0


def test_off_no_model_and_an_agent_are_refused(holdfast: Any, ids: dict[str, str]) -> None:
    off = holdfast("doctor", "--triples")
    no_model = holdfast("doctor", "--triples", env={"HOLDFAST_GRAPH_TRIPLES": "model"})
    agent = holdfast("doctor", "--triples", env={**ON, "CLAUDECODE": "1"})
    wrong = holdfast("config", "graph.triples", "yes")

    assert (off.status, "holdfast config graph.triples model" in off.err) == (2, True)
    assert (no_model.status, "no model is set" in no_model.err) == (2, True)
    assert agent.status == 2
    assert (wrong.status, "one of none, model" in wrong.err) == (2, True)
    assert holdfast("report", "cost", "--json").json["requests"] == []


def test_no_repository_can_switch_it_on(holdfast: Any, folder: Path) -> None:
    (folder / ".holdfast/config.toml").write_text('[graph]\ntriples = "model"\n')

    assert "may not set it" in holdfast("doctor", "--triples", "--status").err
    assert not holdfast("doctor", "--triples", "--status", "--json").json["on"]


def test_memory_that_nobody_allowed_is_not_sent(holdfast: Any, ids: dict[str, str], tmp_path: Path) -> None:
    script(tmp_path, *SAID)

    done = holdfast("doctor", "--triples", env={**ON, "HOLDFAST_HOME": str(tmp_path)})

    assert "Nothing waits" in done.out
    assert "held back" in done.err
    assert not (tmp_path / "costs").exists()


def test_what_is_purged_is_in_no_triple(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    made(holdfast)

    done = holdfast("forget", ids["bucket"], "--purge", "--yes", "--json")

    assert done.status == 0, done.err
    kept = [path.read_bytes() for path in (folder / ".holdfast/state").rglob("*") if path.is_file()]
    assert not [data for data in kept if b"belongs to" in data]
    assert [data for data in kept if b"writes to" in data]
    assert "“writes to”" in holdfast("graph", "--around", "cold bucket", env=ON).out


def test_a_subject_is_purged_from_triples_too(holdfast: Any, ids: dict[str, str], folder: Path, home: Path) -> None:
    made(holdfast)
    # A file of the user's own in our home: a purge names it and leaves it.
    (home / "replies.jsonl").unlink()

    done = holdfast("forget", "--subject", "storage guild", "--purge", "--yes", "--json")

    assert done.status == 0, done.err
    kept = [path.read_bytes() for path in (folder / ".holdfast/state").rglob("*") if path.is_file()]
    assert not [data for data in kept if b"guild" in data]


def test_a_shipped_or_broken_file_of_triples_is_not_used(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    made(holdfast)
    path = folder / ".holdfast/state/triples/triples.db"
    shutil.copy(path, path.with_name("copy.db"))
    os.replace(path.with_name("copy.db"), path)

    shown = holdfast("search", "cold bucket", "--recipe", "default", env=ON)
    path.write_bytes(b"junk" * 500)
    broken = holdfast("search", "cold bucket", "--recipe", "default", env=ON)

    assert (shown.status, "not made here" in shown.err) == (0, True)
    assert (broken.status, "cannot be used" in broken.err) == (0, True)
    assert made(holdfast)["remembered"] == 3


def test_a_link_in_place_of_the_folder_is_not_followed(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / ".holdfast/state/triples").symlink_to(folder / "elsewhere")

    done = holdfast("doctor", "--triples", env=ON)

    assert done.status == 2
    assert list((folder / "elsewhere").iterdir()) == []


def test_a_superseded_memory_states_nothing(holdfast: Any, ids: dict[str, str]) -> None:
    made(holdfast)
    holdfast("remember", "learning", "the attic is where exports go", "--supersedes", ids["export"])

    assert "nightly export" not in holdfast("graph", "--around", "cold bucket", env=ON).out
