"""The bundle's own format: written and read as a stream. Knows no workspace."""
