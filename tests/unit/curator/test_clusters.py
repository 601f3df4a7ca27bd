"""Several learnings into one."""

from collections.abc import Sequence

from tests.curated_worlds import memory, world

from holdfast.conflicts.read_memory import MemoryReading, read_memory
from holdfast.core.memory import Citation, Evidence, Memory, SaidBy, Status
from holdfast.curator.curator_finding import MemoryCreation, MemoryRewrite
from holdfast.curator.find_clusters import as_candidate, find_clusters, plan_consolidation, write_by_rules

TESTS = [
    memory("LRN-1", "pytest fixtures roll back", fact="pytest fixtures roll back", tags=("tests",), confidence=0.9),
    memory("LRN-2", "pytest fixtures need UTC", body="Because of the reports.", tags=("tests", "time"), confidence=0.6),
    memory("LRN-3", "pytest fixtures take 4 seconds", said_by=SaidBy.AGENT, evidence=(Evidence(event="e3"),)),
]


def grouped(memories: Sequence[Memory], near: set[frozenset[str]] | None = None) -> list[list[str]]:
    names = [each.id for each in memories]
    pairs = {name: [other for other in names if other != name] for name in names}

    def tied(one: MemoryReading, other: MemoryReading) -> bool:
        return near is None or frozenset((one.memory.id, other.memory.id)) in near

    found = find_clusters([read_memory(each) for each in memories], pairs, tied, 500)
    return [[each.memory.id for each in group] for group in found]


def test_three_that_are_near_are_a_group_and_two_are_none() -> None:
    assert grouped(TESTS) == [["LRN-1", "LRN-2", "LRN-3"]]
    assert grouped(TESTS[:2]) == []


def test_only_learnings_of_the_same_paths_go_together() -> None:
    elsewhere = memory("LRN-4", "pytest fixtures for the web", paths=("web/**",))
    decided = memory("DEC-1", "pytest fixtures it is")

    assert grouped([*TESTS, elsewhere, decided]) == [["LRN-1", "LRN-2", "LRN-3"]]


def test_a_chain_is_no_group() -> None:
    chain = {
        frozenset(pair) for pair in (("LRN-1", "LRN-2"), ("LRN-2", "LRN-3"), ("LRN-3", "LRN-4"), ("LRN-4", "LRN-5"))
    }
    many = [memory(f"LRN-{each}", f"Fact {each}") for each in range(1, 6)]

    assert grouped(many, chain) == []


def test_a_crowd_is_several_groups_of_at_most_twelve() -> None:
    found = grouped([memory(f"LRN-{each:02}", f"pytest fact {each}") for each in range(30)])

    assert [len(group) for group in found] == [12, 12, 6]


def test_what_would_be_too_long_as_one_stays_apart() -> None:
    long = [memory(f"LRN-{each}", f"pytest fact {each}", body="x" * 1200) for each in range(4)]

    assert grouped(long) == []


def test_the_one_has_all_facts_evidence_tags_and_the_least_trusted_speaker() -> None:
    found = plan_consolidation([read_memory(each) for each in TESTS], 0.6, world(*TESTS), write_by_rules)

    way = found.way()
    assert way is not None
    made, *gone = way.changes
    assert isinstance(made, MemoryCreation)
    one = made.memory
    assert one.title == "pytest, fixtures: 3 learnings"
    assert one.body.splitlines() == [
        "- pytest fixtures roll back",
        "- pytest fixtures need UTC: Because of the reports.",
        "- pytest fixtures take 4 seconds",
    ]
    assert one.tags == ("tests", "time")
    assert one.evidence == (Evidence(event="e3"),)
    assert one.supersedes == ("LRN-1", "LRN-2", "LRN-3")
    assert (one.said_by, one.confidence) == (SaidBy.AGENT, 0.6)
    assert all(isinstance(each, MemoryRewrite) and each.after.status is Status.SUPERSEDED for each in gone)


def test_the_same_group_makes_the_same_memory() -> None:
    first, second = (
        plan_consolidation([read_memory(each) for each in TESTS], 0.6, world(*TESTS), write_by_rules) for _ in range(2)
    )

    assert first == second
    way = first.way()
    assert way is not None
    made = way.changes[0]
    assert isinstance(made, MemoryCreation)
    assert as_candidate(made.memory).id == made.memory.id.replace("LRN", "CAND")


def test_citations_of_all_are_kept_once() -> None:
    cite = Citation(path="a.py")
    cited = [memory(f"LRN-{each}", f"pytest fact {each}", cites=(cite,)) for each in range(3)]

    way = plan_consolidation([read_memory(each) for each in cited], 0.6, world(*cited), write_by_rules).way()

    assert way is not None
    assert isinstance(way.changes[0], MemoryCreation)
    assert way.changes[0].memory.cites == (cite,)
