"""Models behind the ports: what turns text into vectors. Each kind is one module, loaded when it is asked for."""
