"""What one execution is about: SessionContext, and the lenses it may work by.

Commands: config lens
Routes: project
Library: SessionContext
"""
