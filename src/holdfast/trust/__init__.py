"""Who wrote a file, what agents may see, and the user's own yes."""
