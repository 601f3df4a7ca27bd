"""The clients we know, as data: what their hooks say, what they may be told, which files they read.

Commands: uninstall
"""
