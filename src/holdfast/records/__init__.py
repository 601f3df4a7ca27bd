"""What happened, as files people can read: work, ratings, failures, research, todos. Made from the journal."""
