"""The server: memory over HTTP and sockets, for Studio and programs. Its work is done by the verbs of `memory`."""
