"""Vault and journal made searchable: passages, events, names. Derived, and safe to delete.

Commands: verify, rebuild, compact
"""
