"""Servers: memory for programs, over HTTP, sockets and MCP.

Commands: serve, studio, token, mcp
Routes: snapshots, streams, team
"""
