"""Settings: their table and files, the registry of workspaces, and which team and servers a workspace has.

Commands: config, config key
Routes: workspaces
"""
