"""Whether memory pays: small repositories, goals with known dead ends, and an agent that repeats them unless told."""
