"""The MCP server: memory as tools for a client's agent."""
