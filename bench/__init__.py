"""Figures, not pass or fail."""
