"""Code that memories cite: found by its content, followed when it moves, marked when it changed."""
