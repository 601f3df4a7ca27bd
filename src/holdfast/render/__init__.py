"""Memory as a marked block in the files that clients read as instructions."""
