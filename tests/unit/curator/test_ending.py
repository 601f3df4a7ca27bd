"""What has ended and is not marked so."""

from tests.curated_worlds import memory, world

from holdfast.core.memory import Memory, Status
from holdfast.curator.curator_finding import CurationFinding, MemoryRewrite
from holdfast.curator.curator_input import CuratorInput
from holdfast.curator.find_ended import find_deprecations


def only(given: CuratorInput) -> tuple[CurationFinding, Memory | None]:
    (found,) = find_deprecations(given)
    way = found.way()
    if way is None:
        return found, None
    (change,) = way.changes
    assert isinstance(change, MemoryRewrite)
    return found, change.after


def test_what_has_expired_is_marked_and_keeps_its_end() -> None:
    found, after = only(world(memory("DEC-1", "Freeze", valid_until="2026-10-31")))

    assert found.rule == "expired"
    assert after is not None
    assert (after.status, after.valid_until) == (Status.DEPRECATED, "2026-10-31")


def test_what_was_superseded_gets_the_end_it_has() -> None:
    given = world(
        memory("DEC-1", "Use Flask", valid_from="2026-03-01"), newer={"DEC-1": "DEC-2"}, since={"DEC-1": "2026-07-01"}
    )

    found, after = only(given)

    assert found.rule == "superseded"
    assert after is not None
    assert (after.status, after.valid_until, after.because) == (
        Status.SUPERSEDED, "2026-07-01", "superseded by DEC-2",
    )  # fmt: skip


def test_what_was_superseded_and_ended_is_left_alone() -> None:
    ended = memory("DEC-1", "Use Flask", valid_until="2026-07-01")

    assert list(find_deprecations(world(ended, newer={"DEC-1": "DEC-2"}))) == []


def test_an_end_that_is_to_come_is_no_end() -> None:
    assert list(find_deprecations(world(memory("DEC-1", "Freeze", valid_until="2027-01-01")))) == []


def test_paths_that_meet_nothing_are_for_a_person_to_judge() -> None:
    found, after = only(world(memory("PAT-1", "Old forms", paths=("legacy/**",)), pathless=frozenset({"PAT-1"})))

    assert after is None
    assert [way.name for way in found.ways] == ["deprecate", "everywhere"]
    assert "legacy/**" in found.reason


def test_a_package_that_is_gone_is_named() -> None:
    found, _ = only(world(memory("DEC-1", "requests", choice="requests"), dropped={"DEC-1": "requests"}))

    assert found.rule == "dependency gone"
    assert "'requests'" in found.reason
