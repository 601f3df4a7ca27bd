"""Servers: memory for programs, over HTTP, sockets and MCP.

Commands: serve, serve token, mcp
Routes: snapshots, streams, team
"""
