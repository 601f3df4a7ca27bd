"""What hangs together: memories, events, files, symbols, packages, people, tags."""
