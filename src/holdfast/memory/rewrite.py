"""A whole entry as text for an editor, and back."""
