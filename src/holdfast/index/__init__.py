"""Vault and journal made searchable: passages, events, names. Derived, and safe to delete.

Commands: doctor --verify|--rebuild|--compact
"""
