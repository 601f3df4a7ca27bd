"""Question, candidates, lanes, one weighted sum: the ranking of passages."""
