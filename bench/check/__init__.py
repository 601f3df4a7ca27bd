"""Plans that break memory, and plans that do not."""
