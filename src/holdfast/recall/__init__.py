"""Search: lanes, ranking, packs, the graph, citations, history.

Commands: search, list, show, show --history|--cites|--related, timeline, graph, doctor --triples
Routes: find
Tools: search, show, timeline
"""
