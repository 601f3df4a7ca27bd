"""What the clients still have on disk: their transcripts, read as events."""
