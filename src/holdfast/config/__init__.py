"""Settings files, the registry of workspaces, and which team and servers a workspace has."""
