"""Vault and journal → passages and events: what changed, and bringing it in."""
