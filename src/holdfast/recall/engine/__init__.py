"""Question → candidates → lanes → one weighted sum: the ranking of passages. `find.find` is the way in."""
