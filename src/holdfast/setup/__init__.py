"""Setting up: a workspace, its settings, a model, git's merge driver.

Commands: init, init --merge-driver, uninstall --merge-driver, hook merge-driver, config model
Routes: settings
"""
