"""Sessions distilled: into summaries, briefings, lineage and candidates, with evidence.

Commands: distil
"""
