"""Precision and recall of the conflict gate."""
