"""The set of `bench/agent` is what it says, and memory keeps its agent from a dead end."""

from collections import Counter

import pytest
from bench.abstain import BUDGET, embedded_store
from bench.agent.cases import NOISE, NOTHING, OTHER_WORDS, SAID, Case, cases
from bench.agent.policy import Temper
from bench.agent.trial import at_home, laid_out, trial

from holdfast.library.persistent_memory import PersistentMemory
from holdfast.recall.pack import MemoryPack, build_pack
from holdfast.recall.relevance import find_relevant

# Whole runs of an agent: the fast run leaves them out.
pytestmark = pytest.mark.slow

# Nothing matters to its goal, and something is told.
DISTURBED = {"nothing-greeting"}


def pack_of(case: Case) -> MemoryPack:
    store, embedders = embedded_store((*case.memories, *case.noise))
    return build_pack(find_relevant(case.goal, store, embedders=embedders).pairs, BUDGET)


def case_named(name: str) -> Case:
    return next(case for case in cases() if case.name == name)


def test_the_set_has_what_it_says() -> None:
    assert Counter(case.kind for case in cases()) == {SAID: 20, OTHER_WORDS: 4, NOTHING: 6}
    assert len({case.name for case in cases()}) == len(cases())
    for case in cases():
        ids = [memory.id for memory in (*case.memories, *case.noise)]
        assert len(set(ids)) == len(ids) == NOISE + len(case.memories), case.name


@pytest.mark.parametrize("case", [case for case in cases() if case.dead], ids=lambda case: case.name)
def test_a_dead_end_is_one(case: Case) -> None:
    assert case.dead is not None
    assert case.dead.mark in case.dead.text
    assert case.error
    assert case.memories
    assert not case.knows(case.goal + " ".join(case.files.values()))
    if case.dead.path == case.good.path:
        assert case.dead.mark not in case.good.text


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_planning_is_told_of_the_dead_end_and_of_nothing_where_there_is_nothing(case: Case) -> None:
    pack = pack_of(case)

    if case.kind == SAID:
        assert case.knows(pack.to_prompt())
    if case.kind == NOTHING and case.name not in DISTURBED:
        assert pack.empty


@pytest.mark.parametrize("name", ["config-yaml", "generated-code", "nothing-chess"])
def test_the_memory_of_a_case_loads(name: str) -> None:
    case = case_named(name)
    with at_home() as top:
        memory = PersistentMemory.load(laid_out(case, top, remembers=True))
        found = memory.get_relevant(case.goal)

    assert not memory.warnings
    assert case.knows(found.to_prompt()) == (case.kind == SAID)


def test_without_memory_the_dead_end_is_repeated_and_with_it_not() -> None:
    case = case_named("shop-cache")
    without, held = (trial(case, Temper.READS, remembers=remembers) for remembers in (False, True))

    assert (without.planned, without.repeated, without.first, without.reached) == (True, True, False, True)
    assert (held.planned, held.repeated, held.first, held.reached) == (False, False, True, True)
    assert held.told
    assert not without.told


def test_who_will_not_read_is_stopped_where_memory_forbids_by_name() -> None:
    found = trial(case_named("http-client"), Temper.STUBBORN, remembers=True)

    assert found.repairs == 3
    assert not found.repeated


def test_of_several_plans_the_one_that_memory_warns_of_loses() -> None:
    found = trial(case_named("login-tokens"), Temper.SPLIT, remembers=True)

    assert found.outvoted
    assert not found.repeated
