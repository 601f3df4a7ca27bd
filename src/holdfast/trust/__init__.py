"""Whose words, and who may see them: who wrote a file, what agents may see, the user's own yes.

Commands: allow, list --unproven
"""
