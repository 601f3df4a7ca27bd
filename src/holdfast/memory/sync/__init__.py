"""A workspace brought together with what others have of it: a database, a server."""
