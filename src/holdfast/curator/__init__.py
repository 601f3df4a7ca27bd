"""What in memory wants care: each finding with plans to mend it.

Commands: curate
"""
