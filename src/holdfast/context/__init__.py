"""What a workspace is: its kind, its files, where it starts; and the lenses one may work by. Nothing here writes."""
