"""The HTTP server: every verb for Studio and programs."""
