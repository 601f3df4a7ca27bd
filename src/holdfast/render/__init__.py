"""Memory as a marked block in the files that clients read as instructions."""

import os

# What was rendered where, below the workspace's folder.
STATE = os.path.join("state", "rendered.json")
