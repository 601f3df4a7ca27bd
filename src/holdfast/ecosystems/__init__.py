"""Package managers and languages: manifests, imports and install commands, read one way for everybody."""
