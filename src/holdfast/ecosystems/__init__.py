"""What projects are made of: the manifests, imports and install commands of every ecosystem, read in one place."""
