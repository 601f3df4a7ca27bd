"""A team's memory behind a Holdfast server."""
