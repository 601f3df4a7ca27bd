"""SessionContext: all that one execution is about, and the lenses it may work by."""
