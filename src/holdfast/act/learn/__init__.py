"""What a run decided, tried in vain and found out, as candidates with evidence."""
