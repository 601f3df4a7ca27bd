"""What a new memory is to those that hold: duplicate, refinement, contradiction, replacement, or nothing."""
