"""Clients' own transcripts: read as events of the journal.

Commands: harvest
"""
