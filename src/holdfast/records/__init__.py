"""What happened, as files people read: work, sessions, ratings, failures, todos. Made from the journal.

Commands: session, log, todo, work, progress, rate, ratings, failures, research, lineage
Routes: records, sessions, lineage
"""
