"""The MCP server: memory for agents, over standard input and output."""
