"""Lanes → hits: search, timeline, validity, where a memory applies."""
