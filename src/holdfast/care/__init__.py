"""How a workspace is: status, doctor and what they found last.

Commands: status, doctor
Routes: health
"""
