"""The command line: finds the command, runs it, and turns failures into words and an exit status.

Commands: help, version, completion
"""
