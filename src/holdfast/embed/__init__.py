"""Embedders and rerankers: text into vectors, hits into a better order. Each kind is loaded when it is asked for.

Commands: doctor --embed
"""
