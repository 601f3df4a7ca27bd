"""The store that an address names."""

import os

from holdfast.config.home import environment
from holdfast.ports.objects import Objects

REMOTE = ("s3://", "gs://", "az://", "http://", "https://")
FILE = "file://"


def is_address(text: str) -> bool:
    """Whether a text names a store by its address."""
    return text.startswith((*REMOTE, FILE))


def open_store(url: str) -> Objects:
    """The store at an address, or in a folder."""
    if url.startswith(REMOTE):
        from holdfast.backends.objects.remote import RemoteObjects

        return RemoteObjects(url.rstrip("/"), environment())
    from holdfast.backends.objects.folder import FolderObjects

    return FolderObjects(os.path.expanduser(url.removeprefix(FILE)))
