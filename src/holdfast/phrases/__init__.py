"""What a user's sentence looks like when it must not be lost: one table of phrases per language."""
