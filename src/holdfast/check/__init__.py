"""Code against memory: which of it a diff, a plan, a file or a tool call breaks.

Commands: check, check --rules
Tools: check_plan
"""
