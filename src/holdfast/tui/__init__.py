"""Review on a terminal: the queue, what each candidate says, where it comes from, and its conflicts."""
