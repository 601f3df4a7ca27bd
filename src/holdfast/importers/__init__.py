"""Memories of other tools: read as candidates of ours.

Commands: import
"""
