"""Values."""

import copy
import pickle

import pytest

from holdfast.core.event import Cursor
from holdfast.core.ids import decode, encode, random_part, ulid
from holdfast.core.memory import Evidence, Memory, MemoryType
from holdfast.core.value import as_dict, names_of, replace


def test_values_are_equal_by_what_they_hold() -> None:
    assert Evidence(event="a") == Evidence(event="a", quote="")
    assert hash(Evidence(event="a")) == hash(Evidence(event="a"))
    assert Evidence(event="a") != Evidence(event="b")
    assert Evidence(event="a") != "a"


def test_a_value_cannot_be_changed() -> None:
    value = Evidence(event="a")

    with pytest.raises(AttributeError):
        setattr(value, "event", "b")  # noqa: B010  # a type checker refuses the plain form
    with pytest.raises(AttributeError):
        delattr(value, "event")
    with pytest.raises(AttributeError):
        setattr(value, "other", 1)  # noqa: B010  # a type checker refuses the plain form


def test_what_is_missing_or_unknown_is_told() -> None:
    with pytest.raises(TypeError, match="lacks 'event'"):
        Evidence()  # type: ignore[call-arg]  # that is the test
    with pytest.raises(TypeError, match="has no nonsense"):
        Evidence(event="a", nonsense=1)  # type: ignore[call-arg]  # that is the test


def test_replacing_leaves_the_rest() -> None:
    memory = Memory(id="DEC-1", type=MemoryType.DECISION, title="Old", tags=("a",))

    changed = replace(memory, title="New")

    assert (changed.title, changed.tags, memory.title) == ("New", ("a",), "Old")


def test_values_travel_between_processes() -> None:
    memory = Memory(id="DEC-1", type=MemoryType.DECISION, evidence=(Evidence(event="e"),))

    assert pickle.loads(pickle.dumps(memory)) == memory
    assert copy.deepcopy(memory) == memory
    assert set(as_dict(memory)) == set(names_of(Memory))
    assert "Evidence(event='e', quote='')" in repr(memory)


def test_places_in_the_journal_are_ordered() -> None:
    assert Cursor(segment=1, offset=900) < Cursor(segment=2, offset=0) < Cursor(segment=2, offset=1)


def test_ids_are_random_and_time_ordered() -> None:
    assert len({random_part() for _ in range(1000)}) == 1000
    assert ulid(1) < ulid(2) < ulid(1 << 47)
    assert decode(encode(123456789, 10)) == 123456789
