"""What happens in a workspace or a run, told to whoever listens."""
