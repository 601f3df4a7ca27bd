"""Sessions into summaries, briefings, lineage and candidates, with evidence."""
