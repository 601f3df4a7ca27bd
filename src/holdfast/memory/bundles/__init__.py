"""Memory as one file: written, read, kept in stores, carried through sandboxes."""
