"""Memory in clients' instructions: a marked block in the files that they read, in step with memory.

Commands: render
"""

import os

# What was rendered where, below the workspace's folder.
STATE = os.path.join("state", "rendered.json")
