"""Getting our hook into the clients, and out again."""
