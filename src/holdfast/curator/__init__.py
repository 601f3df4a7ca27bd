"""The curator: what in memory wants care, each with plans to fix it."""
