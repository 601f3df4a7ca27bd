"""How far a look around goes, and what several reasons say together."""

from collections.abc import Iterator

import pytest

from holdfast.recall.graph.graph_values import (
    MENTIONS,
    SAME_FILE,
    SAME_SESSION,
    Edge,
    GraphVertex,
    RelationBond,
    combine_bonds,
    walk_graph,
    weigh_shared_names,
)


def beside(node: GraphVertex) -> Iterator[tuple[Edge, GraphVertex]]:
    """A line of numbers: each is beside the one before and the one after it."""
    for other in (int(node.id) - 1, int(node.id) + 1):
        one, two = sorted((int(node.id), other))
        yield (
            Edge(kind=SAME_FILE, one=f"memory:{one}", other=f"memory:{two}"),
            GraphVertex(kind="memory", id=str(other)),
        )


def start() -> GraphVertex:
    return GraphVertex(kind="memory", id="5")


@pytest.mark.parametrize(("depth", "ids"), [(1, "5 4 6"), (2, "5 4 6 3 7"), (3, "5 4 6 3 7 2 8")])
def test_the_nearest_come_first(depth: int, ids: str) -> None:
    assert [node.id for node in walk_graph(start(), beside, depth, 100).nodes] == ids.split()


def test_never_more_than_the_limit_and_that_there_may_be_more_is_told() -> None:
    found = walk_graph(start(), beside, 3, 4)

    assert [node.id for node in found.nodes] == ["5", "4", "6", "3"]
    assert found.full
    assert not walk_graph(start(), beside, 1, 4).full


def test_an_edge_seen_from_both_ends_is_one() -> None:
    found = walk_graph(start(), beside, 2, 100)

    assert len(found.edges) == len({frozenset((edge.one, edge.other)) for edge in found.edges}) == 4


def test_only_edges_between_shown_nodes_are_kept() -> None:
    found = walk_graph(start(), beside, 3, 3)
    keys = {node.key for node in found.nodes}

    assert all({edge.one, edge.other} <= keys for edge in found.edges)


def test_direction_counts_where_it_means_something() -> None:
    def both_ways(node: GraphVertex) -> Iterator[tuple[Edge, GraphVertex]]:
        other = GraphVertex(kind="memory", id="6")
        yield Edge(kind=MENTIONS, one=node.key, other=other.key), other
        yield Edge(kind=MENTIONS, one=other.key, other=node.key), other
        yield Edge(kind=SAME_SESSION, one=node.key, other=other.key), other
        yield Edge(kind=SAME_SESSION, one=other.key, other=node.key), other

    assert [edge.kind for edge in walk_graph(start(), both_ways, 1, 9).edges] == [MENTIONS, MENTIONS, SAME_SESSION]


def test_more_reasons_say_more_and_never_all() -> None:
    bonds = [RelationBond(kind="names", why=str(number), strength=0.5) for number in range(3)]

    assert combine_bonds([]) == 0
    assert combine_bonds(bonds[:1]) == 0.5
    assert combine_bonds(bonds[:1]) < combine_bonds(bonds[:2]) < combine_bonds(bonds) < 1


def test_rare_names_say_more_than_common_ones() -> None:
    counts = {"rare": 2, "common": 50}

    assert 0 < weigh_shared_names(["common"], counts, 100) < weigh_shared_names(["rare"], counts, 100) < 1
    assert weigh_shared_names(["rare"], counts, 100) < weigh_shared_names(["rare", "common"], counts, 100)
