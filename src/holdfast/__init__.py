"""Holdfast: the memory of AI coding agents."""
