"""What happened, as files people read: work, sessions, ratings, failures, todos. Made from the journal.

Commands: session, session told, log, log --rate, todo, work, report failures|lineage|progress|ratings|research
Routes: records, sessions, injections, lineage
"""
