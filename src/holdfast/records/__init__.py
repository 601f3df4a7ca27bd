"""What happened, as files people read: work, sessions, ratings, failures, todos. Made from the journal.

Commands: session, log, log --rate, todo, work, report failures|lineage|progress|ratings|research
Routes: records, sessions, lineage
"""
