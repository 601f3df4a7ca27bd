"""Bundles: memory in one file that leaves the machine and comes back. Knows the format, no workspace."""
