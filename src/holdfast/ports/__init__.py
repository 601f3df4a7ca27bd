"""What the stages need of the world, one Protocol per file. The docstrings are the contract."""
