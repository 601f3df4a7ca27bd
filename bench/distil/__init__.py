"""How well the rules distil: labelled snippets of sessions, and the time it takes."""
