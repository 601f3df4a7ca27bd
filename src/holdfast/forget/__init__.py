"""Removal on this machine: the plan, the deed, the proof, and tombstones so that it stays gone.

Commands: forget
Routes: forget
"""
