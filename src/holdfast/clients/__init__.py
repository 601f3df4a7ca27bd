"""The clients we know, as data."""
