"""Memories as Markdown files: found, read, written, merged and changed without losing a byte."""
