"""Hands: files and commands of one workspace, under what the user trusts a run with, and all of it undoable."""
