"""The only readers of the environment, settings files and the registry of workspaces."""
