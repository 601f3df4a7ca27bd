"""The append-only log on disk: append, read from a cursor, verify, compact. See docs/formats/journal.md."""
