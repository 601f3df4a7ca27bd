"""Check: which memory a diff, a plan, a file or a tool call breaks."""
