"""A set of our own: memories of eight made-up projects, and questions as people ask them. See README.md."""
