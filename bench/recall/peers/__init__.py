"""Other memories and stores on the same questions, each in a process and an environment of its own."""
