"""Memory that leaves this machine and comes back: bundles, servers, databases, teams."""
