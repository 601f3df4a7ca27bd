"""Plans: several are made, checked against memory, scored, and one is chosen."""
