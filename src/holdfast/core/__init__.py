"""Values, errors and ports: what everything else speaks in. Imports nothing of ours."""
