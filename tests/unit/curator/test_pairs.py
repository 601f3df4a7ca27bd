"""Conflicts and duplicates as plans."""

from collections.abc import Sequence

from tests.curated_worlds import memory, world

from holdfast.core.memory import Evidence, Memory, SaidBy, Status
from holdfast.core.relation import Kind as Related
from holdfast.core.relation import Relation
from holdfast.curator.curator_finding import CurationFinding, FindingKind, MemoryRewrite
from holdfast.curator.find_pairs import find_conflicts, find_copies, find_duplicates

OLD = memory("INV-1", "Tokens live for 24 hours", valid_from="2026-01-01")
NEW = memory("INV-2", "Tokens live for 15 minutes", valid_from="2026-09-01")


def relation(new: Memory, old: Memory, kind: Related, sure: float = 0.9) -> Relation:
    return Relation(new=new.id, old=old.id, kind=kind, rule="numbers", reason="other numbers", sure=sure)


def found_of(relations: Sequence[Relation], *memories: Memory) -> list[CurationFinding]:
    by_id = {each.id: each for each in memories}
    return [
        *find_conflicts(relations, by_id, world(*memories)),
        *find_duplicates(find_copies(memories), relations, by_id, world(*memories)),
    ]


def written(found: CurationFinding, way: str = "") -> dict[str, Memory]:
    taken = found.way(way)
    assert taken is not None
    return {change.after.id: change.after for change in taken.changes if isinstance(change, MemoryRewrite)}


def test_the_newer_one_supersedes_the_older_unless_a_person_keeps_that() -> None:
    (found,) = found_of([relation(NEW, OLD, Related.CONTRADICTS)], NEW, OLD)

    newer, older = written(found), written(found, "keep-old")
    assert (found.kind, found.sure) == (FindingKind.CONFLICTS, 0.9)
    assert newer["INV-2"].supersedes == ("INV-1",)
    assert newer["INV-1"].valid_until == "2026-09-01"
    assert older["INV-2"].status is Status.DEPRECATED
    assert older["INV-2"].because == "INV-1 stays: other numbers"
    assert set(older) == {"INV-2"}
    assert "--keep-both --because WHY" in found.hints[0]


def test_an_assumption_that_a_decision_contradicts_is_a_deprecation() -> None:
    assumed, decided = memory("ASM-1", "One workspace"), memory("DEC-1", "Many workspaces")

    (found,) = found_of([relation(decided, assumed, Related.CONTRADICTS)], decided, assumed)

    assert (found.kind, found.rule) == (FindingKind.DEPRECATIONS, "overtaken")
    assert written(found)["DEC-1"].supersedes == ("ASM-1",)


def test_what_says_that_it_replaces_another_is_linked_to_it_once() -> None:
    linked = memory("DEC-2", "FastAPI replaces Flask", supersedes=("DEC-1",))
    bare, old = memory("DEC-2", "FastAPI replaces Flask"), memory("DEC-1", "Use Flask here")

    assert found_of([relation(linked, old, Related.SUPERSEDES)], linked, old) == []
    (found,) = found_of([relation(bare, old, Related.SUPERSEDES)], bare, old)
    assert (found.kind, found.rule) == (FindingKind.DEPRECATIONS, "replaced")


def test_a_circle_has_no_plan_and_says_what_to_type() -> None:
    old = memory("INV-1", "Tokens live for 24 hours", supersedes=("INV-2",))

    (found,) = found_of([relation(NEW, old, Related.CONTRADICTS)], NEW, old)

    assert [way.name for way in found.ways] == ["keep-old"]
    assert found.default == ""


def test_copies_are_one_finding_however_many_there_are() -> None:
    many = [memory(f"LRN-{each:03}", "The user prefers dark mode") for each in range(700)]

    (found,) = found_of([], *many)

    assert len(found.ids) == 700
    assert (found.rule, found.sure) == ("copies", 1.0)
    assert found.reason == "all 700 say the same, word for word"


def test_the_one_with_evidence_is_kept_and_takes_what_the_other_says() -> None:
    bare = memory("INV-1", "Never commit secrets", body="They stay in history.", tags=("git",))
    proved = memory(
        "INV-2", "Secrets are never committed", body="Seen in 2025.", tags=("security",),
        evidence=(Evidence(event="e1", quote="never"),),
    )  # fmt: skip

    (found,) = found_of([relation(proved, bare, Related.DUPLICATES)], bare, proved)

    after = written(found)
    assert found.ids == ("INV-2", "INV-1")
    assert after["INV-2"].supersedes == ("INV-1",)
    assert after["INV-2"].tags == ("security", "git")
    assert "They stay in history." in after["INV-2"].body
    assert after["INV-2"].evidence == proved.evidence
    assert (after["INV-1"].status, after["INV-1"].because) == (Status.SUPERSEDED, "merged into INV-2")


def test_the_users_own_words_are_kept_before_an_agents() -> None:
    said = memory("LRN-9", "Tests need UTC here")
    heard = memory("LRN-1", "Tests need UTC there", said_by=SaidBy.AGENT, evidence=(Evidence(event="e"),))

    (found,) = found_of([relation(said, heard, Related.DUPLICATES)], said, heard)

    assert found.ids[0] == "LRN-9"


def test_a_chain_of_likeness_does_not_drift() -> None:
    a, b, c = (memory(f"LRN-{each}", f"Fact number {each}", valid_from=f"2026-01-0{each}") for each in (1, 2, 3))
    alike = [relation(b, a, Related.DUPLICATES), relation(c, b, Related.DUPLICATES)]

    (found,) = found_of(alike, a, b, c)

    assert found.ids == ("LRN-1", "LRN-2")
