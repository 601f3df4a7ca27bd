"""One file of patterns per language."""
