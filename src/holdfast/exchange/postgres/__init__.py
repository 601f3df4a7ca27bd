"""A team's memory in PostgreSQL."""
