"""Stores of objects."""
