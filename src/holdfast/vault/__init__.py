"""Memories as Markdown files: found, read, written and changed without losing a byte."""
