"""What matters to a goal is told, and to a goal that nothing matters to, nothing: by granite, as people have it."""

from datetime import UTC, datetime

import pytest
from bench.abstain import NOTHING, embedded_store, tried
from tests.index_values import entry

from holdfast.core.memory import Memory, MemoryType, RejectedOption, Status
from holdfast.recall.engine.relevance import load_data, load_gate, load_model
from holdfast.recall.relevance import find_relevant, says_something, shares_enough

KEPT = (
    entry(
        "DEC-1", title="Valkey keeps the sessions", question="Which cache?", choice="Valkey",
        rejected=(RejectedOption(option="Redis", reason="licence"),),
    ).memory,
    entry("LRN-1", type=MemoryType.LEARNING, title="Uploads need a checksum", body="The garden fence is old").memory,
    entry("LRN-2", type=MemoryType.LEARNING, title="Caches of the browser are cleared by hand").memory,
)  # fmt: skip


def _ids(goal: str, *more: Memory, when: datetime | None = None) -> list[str]:
    store, embedders = embedded_store((*KEPT, *more))
    return [found.memory.id for found, _ in find_relevant(goal, store, when=when, embedders=embedders).pairs]


def test_abstention_and_recall_of_the_set_stay_where_they_were_measured() -> None:
    goals = tried()
    without = [each for each in goals if each.wanted == NOTHING]
    with_memory = [each for each in goals if each.wanted != NOTHING]

    abstained = sum(each.right for each in without) / len(without)
    found = sum(each.right for each in with_memory) / len(with_memory)

    print(f"abstained {abstained:.2f} of {len(without)} goals, found {found:.2f} of {len(with_memory)}")
    assert len(without) >= 40
    assert len(with_memory) >= 40
    assert abstained >= 0.8
    assert found >= 0.93


def test_naming_a_rejected_option_is_enough_however_long_the_goal() -> None:
    assert "DEC-1" in _ids("put a Redis in front of the product pages for the spring sale campaign")


def test_other_words_for_the_same_thing_are_enough() -> None:
    assert "LRN-1" in _ids("verify that files which users send us arrive intact")


@pytest.mark.parametrize("prompt", ["yes", "go on", "ok, run the tests again", "continue", "2", "looks good!", ""])
def test_prompts_that_ask_for_nothing_are_not_looked_up(prompt: str) -> None:
    assert not says_something(prompt)
    assert _ids(prompt) == []


@pytest.mark.parametrize("prompt", ["upload", "use valkey", "why is the login slow?"])
def test_one_telling_word_is_looked_up(prompt: str) -> None:
    assert says_something(prompt)


def test_without_any_embedder_words_decide() -> None:
    store, _ = embedded_store(KEPT)

    assert [found.memory.id for found, _ in find_relevant("which cache keeps the sessions", store).pairs][:1] == [
        "DEC-1"
    ]


def test_a_look_back_finds_what_held_then() -> None:
    more = (
        entry("DEC-2", title="Invoices live in MySQL", valid_until="2026-03-01", status=Status.DEPRECATED).memory,
        entry("DEC-3", title="Invoices live in Postgres", valid_from="2026-03-01").memory,
    )

    assert _ids("where do invoices live", *more)[:1] == ["DEC-3"]
    assert _ids("where do invoices live", *more, when=datetime(2026, 2, 1, tzinfo=UTC))[:1] == ["DEC-2"]


def test_why_it_matters_is_said() -> None:
    store, embedders = embedded_store(KEPT)
    answer = find_relevant("move the sessions out of Valkey", store, embedders=embedders)

    [first, *_] = answer.found
    assert first.why == "names Valkey, which was chosen"
    assert first.features["covered"] > 0
    assert answer.model == "meaning"
    assert answer.gate >= answer.floor


@pytest.mark.parametrize("name", ["meaning", "static", "words"])
def test_every_model_has_numbers_for_what_it_looks_at(name: str) -> None:
    assert any(load_model(name).weights.values())
    assert load_gate(name).opens([9.0, 9.0])
    assert not load_gate(name).opens([-9.0])
    assert not load_gate(name).opens([])
    assert all(len(each["document"]) == len(each["query"]) for each in load_data()["usual"].values())


def test_words_that_every_prompt_has_do_not_count_as_shared() -> None:
    assert shares_enough("cache the product pages", "Product pages are cached for a minute")
    assert not shares_enough("please add a new test for this", "add a new test, please, for that other thing")


def test_the_older_of_two_statements_on_one_subject_is_never_told_without_the_newer() -> None:
    more = (
        entry(
            "DEC-OLD", title="Log files are rotated daily and kept for a week", updated="2026-01-05T00:00:00Z"
        ).memory,
        entry(
            "DEC-NEW", title="Log files are rotated hourly and kept for a week", updated="2026-05-05T00:00:00Z"
        ).memory,
    )

    found = _ids("how often are the log files rotated daily", *more)

    assert found[:2] == ["DEC-NEW", "DEC-OLD"]
