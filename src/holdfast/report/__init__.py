"""Reports over sessions: what memory was worth, what models cost, a week or month put together.

Commands: stats, activity, synthesis, cost, changes
Routes: signals
"""
