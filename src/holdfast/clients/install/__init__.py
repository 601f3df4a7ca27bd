"""Our hook put into a client's files and taken out again, byte for byte."""
