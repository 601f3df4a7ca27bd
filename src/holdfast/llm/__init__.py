"""Language models behind one port: vendors' endpoints, the user's own clients, and a script."""
