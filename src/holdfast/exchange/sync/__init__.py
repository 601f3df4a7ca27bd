"""A workspace synced with what others have of it: a database, a server."""
