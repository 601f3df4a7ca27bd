"""The curator: what in memory wants care, each with plans to mend it, and how healthy the whole is."""
