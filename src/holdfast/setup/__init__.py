"""Setting up: a workspace, its settings, a model, git's merge driver.

Commands: init, model, git
Routes: settings
"""
