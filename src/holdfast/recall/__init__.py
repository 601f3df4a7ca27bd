"""Search: lanes, ranking, packs, the graph, citations, history."""
