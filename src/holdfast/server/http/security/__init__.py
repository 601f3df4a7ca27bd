"""Who may ask, for what, and from where."""
