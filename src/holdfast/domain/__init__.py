"""Values and error families. Imports nothing of ours."""
