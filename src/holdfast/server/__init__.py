"""Servers: memory for programs, over HTTP, sockets and MCP."""
