"""From candidate to memory: remember, propose, accept, reject, merge, resolve, undo.

Commands: remember, propose, edit, candidates, review, accept, reject, merge, resolve, undo, badge
Routes: candidates, memories
Tools: remember, record_decision, record_failure, review
"""
