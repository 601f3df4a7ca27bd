"""How a code base is written, read off its files. Nothing of it is run, and nothing here touches the disk."""
