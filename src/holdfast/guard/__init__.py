"""A tool call before it runs: its risks, a policy, a verdict.

Commands: guard
"""
