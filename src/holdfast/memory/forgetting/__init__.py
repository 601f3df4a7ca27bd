"""Removal: the plan, the deed, the proof."""
