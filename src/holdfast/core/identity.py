"""What a workspace is called in the registry."""

import os
from hashlib import blake2b


def workspace_id(path: str) -> str:
    """The id of a workspace: a hash of its resolved path."""
    return blake2b(os.fsencode(os.path.realpath(path)), digest_size=8).hexdigest()
