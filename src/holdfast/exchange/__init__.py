"""Memory that leaves and comes back: bundles, servers, databases, teams.

Commands: export, backup, sandbox, remote, vault, team, database
Routes: sync
"""
