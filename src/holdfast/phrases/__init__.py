"""Sentences that must not be lost: what a user's words look like then, one table per language."""
