"""Setting up: a workspace, its settings, a model, git's merge driver."""
