"""One file of phrases per language."""
