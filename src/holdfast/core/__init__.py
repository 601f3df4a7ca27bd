"""Values, errors and ports that everything else speaks in. Imports nothing of ours."""
