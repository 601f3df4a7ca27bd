"""Bundles of a workspace: exported, imported, backed up, carried through sandboxes."""
