"""Readers of source files: what each tells of how the code base is written. Nothing here touches the disk."""
