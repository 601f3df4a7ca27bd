"""From candidate to memory: remember, propose, accept, reject, merge, resolve, undo.

Commands: remember, propose, edit, review, list --candidates, list --by, check --memories, status --badge,
  accept, accept --into, reject, resolve, undo
Routes: review_queue, memories
Tools: remember, record_decision, record_failure, review
"""
