"""Reports over sessions: what memory was worth, what models cost, a week or month put together.

Commands: stats, report, report activity|cost|synthesis, log --system
Routes: signals
"""
