"""Stores of objects: a folder, S3 and its kin, a database."""
