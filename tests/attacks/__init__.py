"""Attacks that others published, each carried out: on who said it, who accepted it, and what an agent is told."""
