"""What a session is told: at its start, at a prompt, before a tool runs, after a compaction.

Commands: pack, session buffer
Tools: pack, briefing
"""
