"""What happened, as files people can read: work, sessions, ratings, failures, todos. Made from the journal."""
