"""What two memories are to each other: duplicate, refinement, conflict, replacement, or nothing. Rules, no I/O."""
