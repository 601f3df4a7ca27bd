"""From candidate to memory: what a person accepts, and what they reject."""
