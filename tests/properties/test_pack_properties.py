"""Packs of whatever memory: the same for the same, within the budget, and nothing in them that was not found."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.index_values import entry, put

from holdfast.core.memory import Entry, MemoryType, RejectedOption, Status
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.recall.diversity import TOO_ALIKE, word_likeness
from holdfast.recall.pack import PLACES, MemoryPack, build_pack, pack_to_json
from holdfast.recall.relevance import find_relevant

WORDS = (
    "cache",
    "caches",
    "redis",
    "pool",
    "never",
    "not",
    "3",
    "30",
    "upload",
    "the",
    "über",
    "決定",
    "",
    "\n",
    "<b>",
    "-",
)
phrases = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
memories: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    type=st.sampled_from(MemoryType),
    title=phrases,
    body=phrases,
    choice=phrases,
    question=phrases,
    rejected=st.lists(st.builds(RejectedOption, option=phrases, reason=phrases), max_size=2).map(tuple),
    attempts=st.one_of(st.none(), st.integers(0, 9)),
    fact=phrases,
    status=st.sampled_from([Status.ACCEPTED, Status.CANDIDATE]),
)
vaults = st.lists(memories, max_size=30)


def _entries(vault: list[dict[str, Any]]) -> list[Entry]:
    return [entry(f"X-{at:03}", **fields) for at, fields in enumerate(vault)]


def _pack(entries: list[Entry], goal: str, budget: int) -> MemoryPack:
    store = SqliteIndex.open(":memory:")
    put(store, *entries)
    said = {each.memory.id for each in entries if each.memory.status is Status.CANDIDATE}
    return build_pack(find_relevant(goal, store, said).pairs, budget)


@settings(max_examples=examples(60), deadline=None)
@given(vaults, phrases, st.integers(0, 400), st.randoms(use_true_random=False))
def test_the_same_memory_and_goal_give_the_same_pack(
    vault: list[dict[str, Any]], goal: str, budget: int, chance: random.Random
) -> None:
    entries = _entries(vault)
    shuffled = chance.sample(entries, len(entries))

    assert pack_to_json(_pack(entries, goal, budget)) == pack_to_json(_pack(shuffled, goal, budget))


@settings(max_examples=examples(100), deadline=None)
@given(vaults, st.integers(0, 400), st.booleans())
def test_a_pack_keeps_its_laws(vault: list[dict[str, Any]], budget: int, for_task: bool) -> None:
    entries = _entries(vault)
    by_id = {each.memory.id: each.memory for each in entries}

    pack = build_pack([(each, "") for each in entries], budget, for_task=for_task)

    assert pack.tokens <= budget
    assert pack.empty == (pack.to_prompt() == "")
    assert set(pack.ids()) <= by_id.keys()
    chosen = [by_id[name] for name in pack.ids()]
    assert all(sum(memory.type is kind for memory in chosen) <= PLACES[kind] for kind in MemoryType)
    for at, one in enumerate(chosen):
        assert not any(other.type is one.type and word_likeness(one, other) >= TOO_ALIKE for other in chosen[:at])


@given(memories, memories)
def test_likeness_is_the_same_both_ways_and_a_share(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = (each.memory for each in _entries([one, other]))

    assert 0 <= word_likeness(first, second) == word_likeness(second, first) <= 1
