"""Check: which memory does a diff, a plan or a file break? Readers of text, and rules on what they read."""
