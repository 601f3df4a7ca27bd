"""Reading claude-mem's SQLite database."""
