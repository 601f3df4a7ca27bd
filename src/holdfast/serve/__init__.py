"""Servers: what speaks to programs. Each calls `memory` and knows no other."""
