"""Memory that leaves and comes back: bundles, servers, databases, teams.

Commands: export, backup, sandbox, sync, sync database, team, team database
Routes: sync
"""
