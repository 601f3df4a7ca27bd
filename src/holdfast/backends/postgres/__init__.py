"""Journal, candidates, memories and index in PostgreSQL, for teams: the same ports as on one laptop."""
