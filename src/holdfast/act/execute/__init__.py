"""Hands of a run: files and commands of one workspace, under the user's trust, all of it undoable."""
