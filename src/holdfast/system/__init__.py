"""The machine: safe writes, locks, JSON caches, HTTP, git and background processes, each in one way."""
