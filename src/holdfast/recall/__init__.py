"""Search: lanes, ranking, packs, the graph, citations, history.

Commands: search, list, show, history, cites, timeline, related, graph, inspect, triples
Routes: find
Tools: search, show, timeline
"""
