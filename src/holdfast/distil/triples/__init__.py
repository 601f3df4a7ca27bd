"""Triples of a memory, by a model."""
