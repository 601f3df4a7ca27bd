"""A team's memory beside one's own."""
