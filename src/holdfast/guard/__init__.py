"""What is to be said of a tool call before it runs: risks, a policy, a verdict."""
