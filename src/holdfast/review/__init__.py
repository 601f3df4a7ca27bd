"""From candidate to memory: remember, propose, accept, reject, merge, resolve, undo."""
