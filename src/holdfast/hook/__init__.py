"""The cold path: a client's payload on standard input, one event in the journal, what the client may be told.

Commands: hook
"""
